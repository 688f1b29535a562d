//! `[pricing]`: what a node-hour costs, and by which rule.

use super::assumed::Assumed;
use super::echo::{first_clause, quoted};
use super::extras::{Used, read_extras};
use super::plan::Extras;
pub use super::price_file::Held;
use super::price_file::Replay;
use super::price_path::{Changes, read_changes};
use super::problem::Problem;
use super::section::Section;
use crate::facts::{Cloud, InstanceRef};
use crate::pricing::{Rule, Tariff, azure, ec2, flat, gcp, sagemaker};
use crate::units::Price;

/// How a cluster's stays are billed.
#[derive(Debug, Clone, PartialEq)]
pub struct Prices {
    /// The rule.
    pub rule: Rule,
    /// Spot stays.
    pub spot: Tariff,
    /// On-Demand stays.
    pub on_demand: Tariff,
    /// SageMaker's savings, as a share; only under its rule.
    pub savings: Option<f64>,
    /// What is billed at the first price on record for want of an earlier one.
    pub held: Option<Held>,
    /// What is billed beside stays, if anything is.
    pub extras: Option<Extras>,
}

const RULES: [(&str, Rule); 5] = [
    ("ec2", Rule::Ec2),
    ("sagemaker", Rule::SageMaker),
    ("gcp", Rule::Gcp),
    ("azure", Rule::Azure),
    ("flat", Rule::Flat),
];

/// Reads `[pricing]`; what it does not give comes from the catalogue and is said in `assumed`. `spot`
/// says whether the cluster can hold Spot nodes: On-Demand alone needs no Spot price. `replay` is what recorded
/// prices are laid against. `used` is what may be
/// billed beside the stays.
pub(super) fn read_pricing(
    mut s: Section<'_, '_>,
    instance: &InstanceRef<'static>,
    spot: bool,
    replay: &Replay<'_>,
    used: &Used,
    assumed: &mut Vec<Assumed>,
) -> Option<Prices> {
    let field = s.reader.field("rule");
    let natural = match (instance.sagemaker, instance.instance.cloud) {
        (true, _) => Rule::SageMaker,
        (false, Cloud::Aws) => Rule::Ec2,
        (false, Cloud::Gcp) => Rule::Gcp,
        (false, Cloud::Azure) => Rule::Azure,
    };
    let rule = if field.is_given() { field.word(&RULES)? } else { natural };
    let word = RULES.iter().find(|(_, r)| *r == rule).map_or("", |(word, _)| word);
    s.echo("rule", quoted(word), if field.is_given() { "" } else { "by the name of the instance" });

    let on_demand = read_on_demand(&mut s, rule, instance, assumed);
    let changes = read_changes(&mut s, (rule, spot), replay, (instance, on_demand), assumed);
    let (terms, savings) = match (rule, spot) {
        (_, false) => {
            // Read all the same, so that a typo in them is found.
            let _: Option<Price> = s.reader.field("spot").quantity();
            s.reader.field("savings").number(0.0..=1.0);
            (on_demand.map(|price| tariff(rule, price, false)), None)
        }
        (Rule::SageMaker, true) => {
            let savings = read_savings(&mut s, instance, assumed);
            (on_demand.zip(savings).and_then(|(price, savings)| sagemaker(price, savings)), savings)
        }
        (_, true) => {
            let price = match &changes {
                Changes::Constant => read_spot(&mut s, instance, assumed),
                changes => {
                    for key in ["spot", "savings"] {
                        warn_unused(&mut s, key, "the price changes");
                    }
                    match changes {
                        Changes::As(changing, _) => Some(changing.path.nominal()),
                        _ => None,
                    }
                }
            };
            (price.map(|price| tariff(rule, price, true)), None)
        }
    };
    let extras = read_extras(&mut s, used, instance, assumed);
    s.reader.finish();
    let on_demand = on_demand.map(|price| tariff(rule, price, false));
    let (changing, held) = match changes {
        Changes::As(changing, held) if spot => (Some(changing), held),
        _ => (None, None),
    };
    let spot = Tariff { changing, ..terms? };
    Some(Prices { rule, spot, on_demand: on_demand?, savings, held, extras })
}

/// The rule's terms at a constant price; SageMaker's savings are in the price already.
fn tariff(rule: Rule, price: Price, spot: bool) -> Tariff {
    match rule {
        Rule::Ec2 => ec2(price, spot),
        Rule::Gcp => gcp(price, spot),
        Rule::Azure => azure(price),
        Rule::Flat | Rule::SageMaker => flat(price),
    }
}

fn read_on_demand(
    s: &mut Section<'_, '_>,
    rule: Rule,
    instance: &InstanceRef<'_>,
    assumed: &mut Vec<Assumed>,
) -> Option<Price> {
    let field = s.reader.field("on_demand");
    if field.is_given() {
        return s.quantity("on_demand");
    }
    if rule == Rule::SageMaker && !instance.sagemaker {
        let title = format!("`{}` is not SageMaker's name of an instance", instance.name());
        s.reader.refuse(title, format!("write instance = \"ml.{}\", or give `on_demand`", instance.name()));
        return None;
    }
    let Some(price) = instance.on_demand() else {
        let title = format!("no On-Demand price of {} is on record", instance.name());
        s.reader.refuse(title, "add `on_demand = \"3.06 USD/h\"` to [pricing]");
        return None;
    };
    let date = instance.on_demand_date().map_or("undated", first_clause);
    s.echo("on_demand", quoted(&price.to_string()), format!("catalogue, {date}"));
    let (name, region) = (instance.name(), region(instance));
    let sentence = format!("{name} On-Demand {price} (catalogue, {region}, {date})");
    let (value, source) = (format!("{name}: {price}"), format!("catalogue, {region}"));
    assumed.push(Assumed::new("On-Demand price", sentence).with(value, source, date));
    Some(price)
}

fn read_spot(
    s: &mut Section<'_, '_>,
    instance: &InstanceRef<'_>,
    assumed: &mut Vec<Assumed>,
) -> Option<Price> {
    if let Some(price) = s.quantity("spot") {
        return Some(price);
    }
    warn_unused(s, "savings", "savings belong to the sagemaker rule; give the Spot price itself");
    if s.reader.field("spot").is_given() {
        return None;
    }
    let Some(price) = instance.instance.typical_spot else {
        let title = format!("no Spot price of {} is on record", instance.name());
        s.reader.refuse(title, "add `spot = \"0.95 USD/h\"` to [pricing]");
        return None;
    };
    let date = instance.instance.spot_date.as_deref().map_or("undated", first_clause);
    s.echo("spot", quoted(&price.to_string()), format!("catalogue, {date}"));
    let (name, region) = (instance.name(), region(instance));
    let sentence = format!("{name} Spot {price} (catalogue, {region}, {date})");
    let (value, source) = (format!("{name}: {price}"), format!("catalogue, {region}"));
    assumed.push(Assumed::new("Spot price", sentence).with(value, source, date));
    Some(price)
}

fn read_savings(
    s: &mut Section<'_, '_>,
    instance: &InstanceRef<'_>,
    assumed: &mut Vec<Assumed>,
) -> Option<f64> {
    warn_unused(s, "spot", "the sagemaker rule bills On-Demand price × (1 − savings)");
    let field = s.reader.field("savings");
    if field.is_given() {
        let savings = field.number(0.0..=1.0)?;
        s.echo("savings", savings.to_string(), "share of training seconds that SageMaker does not bill");
        return Some(savings);
    }
    let Some(savings) = instance.instance.spot_savings else {
        let title = format!("no Spot savings of {} are on record", instance.name());
        s.reader.refuse(title, "add `savings = 0.62` to [pricing]");
        return None;
    };
    let date = instance.instance.advisor_date.as_deref().map_or("undated", first_clause);
    s.echo("savings", savings.to_string(), format!("catalogue, Spot Advisor of {date}"));
    let (name, percent) = (instance.name(), format!("{:.0} %", savings * 100.0));
    let sentence = format!("{name} Spot saves {percent} (Spot Advisor, {date})");
    assumed.push(Assumed::new("Spot savings", sentence).with(
        format!("{name}: {percent}"),
        "Spot Advisor",
        date,
    ));
    Some(savings)
}

/// A key that the rule does not use may come from the file's table, so it is no error.
fn warn_unused(s: &mut Section<'_, '_>, key: &'static str, why: &str) {
    let field = s.reader.field(key);
    if field.is_given() {
        let problem = Problem::warning(format!("`{key}` is not used by this cluster's pricing rule"));
        s.reader.report(problem.at(field.place(), why));
    }
}

/// Where the catalogue's prices hold.
fn region(instance: &InstanceRef<'_>) -> &'static str {
    match instance.instance.cloud {
        Cloud::Aws => "us-east-1",
        Cloud::Gcp => "us-central1",
        Cloud::Azure => "East US",
    }
}
