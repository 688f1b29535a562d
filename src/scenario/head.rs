//! The keys of `[[cluster]]` that stand in no table: name, instances, nodes, market, zones.

use super::cluster::{Context, SHARED};
use super::echo::{Echo, quoted};
use super::elastic::{Size, read_on_loss, read_size};
use super::fallback::read_fallbacks;
use super::field::Field;
use super::plan::{Market, OnLoss};
use super::problem::Problem;
use super::reader::Reader;
use super::section::Section;
use super::tree::Table;
use super::zones::{Zones, read_zones};
use crate::facts::{Catalogue, InstanceRef};

/// The keys of a cluster that stand in no table.
pub(super) struct Head {
    /// Its name in results.
    pub name: String,
    /// What each node is.
    pub instance: InstanceRef<'static>,
    /// What each node is where the first cannot be had, in this order.
    pub fallbacks: Vec<InstanceRef<'static>>,
    /// How many.
    pub nodes: u32,
    /// Where it rents.
    pub market: Market,
    /// Where its capacity comes from.
    pub zones: Zones,
    /// With how many nodes it trains too, and how many it has in reserve.
    pub size: Size,
    /// What the gang does without a node.
    pub on_loss: OnLoss,
}

impl Head {
    /// A plain machine in the place of one that could not be read.
    pub fn stand_in(catalogue: &'static Catalogue) -> Option<Self> {
        let instance = catalogue.instance("g5.xlarge")?;
        let (name, zones) = (String::new(), Zones::any());
        let (market, size) = (Market::Spot, Size::default());
        let fallbacks = Vec::new();
        Some(Self { name, instance, fallbacks, nodes: 1, market, zones, size, on_loss: OnLoss::Release })
    }

    /// Whether it is [`Self::stand_in`], so that nothing can be held against its number of nodes.
    pub fn stands_in(&self) -> bool {
        self.name.is_empty()
    }
}

/// Whether a cell of a table that begins so is computed by spreadsheets.
pub(super) fn is_formula(first: &char) -> bool {
    matches!(first, '=' | '+' | '-' | '@')
}

/// Reads them; all problems are reported before any of them makes it `None`.
pub(super) fn read_head(own: &Table, context: &Context<'_>, echo: &mut Echo) -> Option<Head> {
    let mut s = Section::new(Reader::new(own, context.sink), echo, "");
    let name_field = s.reader.required("name", "name = \"4x g5.2xlarge Spot\"");
    let name = name_field.text().map(str::to_owned);
    if name.as_ref().is_some_and(|name| name.trim().is_empty()) {
        name_field.refuse_value("must not be empty");
    }
    // Every CSV file has the names in cells of their own, and no quoting keeps a spreadsheet from computing them.
    if let Some(first) = name.as_deref().and_then(|name| name.trim_start().chars().next()).filter(is_formula)
    {
        let label = format!("begin with a letter or a digit, not with `{first}`");
        name_field.refuse(
            format!("a spreadsheet would take {} for a formula", quoted(name.as_deref().unwrap_or(""))),
            label,
        );
    }
    let instance_field = s.reader.required("instance", "instance = \"g5.2xlarge\"");
    let instance = read_instance(&instance_field, context.catalogue);
    if let Some(instance) = &instance {
        s.echo("instance", quoted(&instance.name()), "");
    }
    let nodes = s.reader.required("nodes", "nodes = 4").whole(1..=65_536_u32);
    let markets = [("spot", Market::Spot), ("on-demand", Market::OnDemand)];
    let market = s.reader.required("market", "market = \"spot\"").word(&markets);
    let fallbacks = read_fallbacks(&mut s, context.catalogue, instance, market);
    let zones = read_zones(&mut s, 1 + fallbacks.as_ref().map_or(0, Vec::len));
    for (key, value) in [("name", name.as_deref().map(quoted)), ("nodes", nodes.map(|n| n.to_string()))] {
        if let Some(value) = value {
            s.echo(key, value, "");
        }
    }
    if let Some(market) = market {
        let word = markets.iter().find(|(_, m)| *m == market).map_or("", |(word, _)| word);
        s.echo("market", quoted(word), "");
    }
    let size = read_size(&mut s, nodes);
    let on_loss = read_on_loss(&mut s, size);
    // Read with the zones and instances that they name.
    s.reader.field("zone");
    s.reader.field("fallback");
    for table in SHARED {
        let field = s.reader.field(table);
        if field.is_given() {
            field.table();
        }
    }
    s.reader.finish();
    Some(Head {
        name: name?,
        instance: instance?,
        fallbacks: fallbacks?,
        nodes: nodes?,
        market: market?,
        zones: zones?,
        size,
        on_loss,
    })
}

/// An instance of the catalogue by its name.
pub(super) fn read_instance(
    field: &Field<'_>,
    catalogue: &'static Catalogue,
) -> Option<InstanceRef<'static>> {
    let name = field.text()?;
    let Some(instance) = catalogue.instance(name) else {
        let nearest = catalogue.nearest_instance(name);
        let label = nearest.map_or(String::new(), |name| format!("did you mean \"{name}\"?"));
        let problem = Problem::error(format!("unknown instance `{name}`")).at(field.place(), label);
        field.report(problem.help("`spotsim catalog instances` lists them"));
        return None;
    };
    Some(instance)
}
