//! `[policy] max_price` against the prices that it is a maximum of.

use super::pricing::Prices;
use super::problem::{Problem, Sink};
use super::reader::Reader;
use super::tree::Table;
use crate::pricing::Tariff;
use crate::units::Price;

/// The maximum, if it ever matters; says where it cannot be meant.
pub(super) fn check_max_price(
    max_price: Option<Price>,
    prices: &[Prices],
    zones: &[String],
    policy: &Table,
    sink: &Sink,
) -> Option<Price> {
    let most = max_price?;
    let field = Reader::new(policy, sink).field("max_price");
    if prices.iter().any(|prices| prices.savings.is_some()) {
        let why =
            "savings are a share of the On-Demand price; drop it, or write `rule = \"ec2\"` into [pricing]";
        field.refuse("`max_price` needs a market price, which the rule `sagemaker` has not", why);
        return None;
    }
    for (prices, zone) in prices.iter().zip(zones) {
        let lowest = prices.spot.lowest();
        if lowest > most {
            let place = if zones.len() > 1 { format!(" in the zone \"{zone}\"") } else { String::new() };
            let title = format!("no Spot can ever be had{place}: it costs at least {lowest}");
            field.refuse(title, format!("more than {most} is never paid"));
        }
    }
    let tariffs = || prices.iter().map(|prices| &prices.spot);
    if tariffs().all(|spot| spot.changing.is_none()) {
        let title = "`max_price` has no effect: the Spot price does not change";
        sink.report(
            Problem::warning(title).at(field.place(), "add `history` or `mean_reverting` to [pricing]"),
        );
    }
    tariffs().map(Tariff::highest).any(|highest| highest > most).then_some(most)
}
