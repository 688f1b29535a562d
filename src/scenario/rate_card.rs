//! Prices of `[pricing]` beside those of instances, over those of the catalogue, and the lines they make.

use super::assumed::Assumed;
use super::echo::{first_clause, quoted};
use super::extras::Saves;
use super::moves::Moving;
use super::section::Section;
use super::start::{Pulls, Way};
use crate::facts::{Catalogue, Cloud, InstanceRef};
use crate::pricing::{Charge, Item, MOVE_PRICES, Rate, parts, upload_requests};
use crate::units::{Bytes, Gb, GbMonth, Per, ThousandRequests, UnitPrice};

/// A price, and whether the scenario gives it.
#[derive(Debug, Clone, Copy)]
struct Listed<P> {
    key: &'static str,
    given: Option<UnitPrice<P>>,
    catalogue: Option<UnitPrice<P>>,
}

impl<P: Per> Listed<P> {
    fn read(s: &mut Section<'_, '_>, key: &'static str, catalogue: Option<UnitPrice<P>>) -> Self {
        Self { key, given: s.quantity(key), catalogue }
    }
}

/// The prices beside instances that hold for a cluster, and which of them its bill uses.
pub(super) struct RateCard {
    volume: Listed<GbMonth>,
    objects: Listed<GbMonth>,
    puts: Listed<ThousandRequests>,
    gets: Listed<ThousandRequests>,
    between_zones: Listed<Gb>,
    between_regions: Listed<Gb>,
    catalogue: &'static Catalogue,
    /// Whose prices the catalogue lacks, for the words.
    provider: &'static str,
    /// Catalogue prices that lines use: what for, with price; and the date and confidence.
    used: Vec<(String, String)>,
    /// Keys without a price that lines would need.
    missing: Vec<&'static str>,
}

impl RateCard {
    /// Reads the prices of `[pricing]`, over those of the catalogue.
    pub fn read(s: &mut Section<'_, '_>, instance: &InstanceRef<'static>) -> Self {
        let catalogue = Catalogue::builtin();
        let extras = catalogue.extras();
        let aws = instance.instance.cloud == Cloud::Aws;
        // SageMaker bills its volumes at a price of its own.
        let volume = (aws && !instance.sagemaker).then_some(extras.volumes.storage);
        let provider = match (instance.instance.cloud, instance.sagemaker) {
            (Cloud::Aws, true) => "SageMaker",
            (Cloud::Aws, false) => "AWS",
            (Cloud::Gcp, _) => "Google Cloud",
            (Cloud::Azure, _) => "Azure",
        };
        Self {
            volume: Listed::read(s, "volume_storage", volume),
            objects: Listed::read(s, "storage", aws.then_some(extras.objects.storage)),
            puts: Listed::read(s, "put_requests", aws.then_some(extras.objects.puts)),
            gets: Listed::read(s, "get_requests", aws.then_some(extras.objects.gets)),
            between_zones: Listed::read(s, "between_zones", aws.then_some(extras.traffic.between_zones)),
            between_regions: Listed::read(
                s,
                "between_regions",
                aws.then_some(extras.traffic.between_regions),
            ),
            catalogue,
            provider,
            used: Vec::new(),
            missing: Vec::new(),
        }
    }

    /// Whether volumes have a price.
    pub fn knows_volumes(&self) -> bool {
        self.volume.given.or(self.volume.catalogue).is_some()
    }

    /// The price for a line, if there is one.
    fn price<P: Per>(
        &mut self,
        s: &mut Section<'_, '_>,
        listed: Listed<P>,
        what: &str,
        (date, confidence): (&str, &str),
    ) -> Option<UnitPrice<P>> {
        match (listed.given, listed.catalogue) {
            (Some(given), _) => Some(given),
            (None, Some(price)) => {
                let date = first_clause(date);
                let from = format!("(catalogue, us-east-1, {date}, confidence {})", first_clause(confidence));
                let said = (format!("{what} {price}"), from);
                if !self.used.contains(&said) {
                    s.echo(listed.key, quoted(&price.to_string()), format!("catalogue, {date}"));
                    self.used.push(said);
                }
                Some(price)
            }
            (None, None) => {
                if !self.missing.contains(&listed.key) {
                    self.missing.push(listed.key);
                }
                None
            }
        }
    }

    /// Lines of saves in an object store.
    pub fn stored_objects(&mut self, s: &mut Section<'_, '_>, saves: &Saves, charges: &mut Vec<Charge>) {
        let extras = self.catalogue.extras();
        let fact = (extras.objects.date.as_str(), extras.objects.confidence.as_str());
        let cut = &extras.multipart;
        if let Some(price) = self.price(s, self.objects, "objects", fact) {
            charges.push(Charge { item: Item::SavesStored, rate: Rate::Kept { price, size: saves.size() } });
        }
        let part_requests = upload_requests(saves.part, cut.part, cut.parts_max, cut.calls);
        if let Some(price) = self.price(s, self.puts, "requests that write", fact) {
            let each = part_requests.saturating_mul(u64::from(saves.writers));
            charges.push(Charge { item: Item::SaveRequests, rate: Rate::Requested { price, each } });
        }
        if let Some(price) = self.price(s, self.gets, "requests that read", fact) {
            let each = parts(saves.part, cut.part, cut.parts_max).saturating_mul(u64::from(saves.reads));
            charges.push(Charge { item: Item::RestoreRequests, rate: Rate::Requested { price, each } });
        }
        self.used.push((format!("saves and restores in parts of {}", cut.part), format!("({})", cut.date)));
        if saves.other_region {
            for (item, size) in [(Item::SaveTraffic, saves.size()), (Item::RestoreTraffic, saves.read())] {
                self.moved(s, item, size, Way::BetweenRegions, charges);
            }
        }
    }

    /// The line of `count` volumes of one `size`.
    pub fn volumes(
        &mut self,
        s: &mut Section<'_, '_>,
        item: Item,
        size: Bytes,
        count: u64,
        charges: &mut Vec<Charge>,
    ) {
        let fact = &self.catalogue.extras().volumes;
        let words = "gp3 volumes, without more operations or throughput,";
        if let Some(price) = self.price(s, self.volume, words, (&fact.date, &fact.confidence)) {
            let size = Bytes::new(size.get().saturating_mul(count));
            charges.push(Charge { item, rate: Rate::Kept { price, size } });
        }
    }

    /// Lines of saves that are copied to another region, each pair of regions at its own price unless one is given for all.
    pub fn moved_saves(&mut self, moving: &Moving, charges: &mut Vec<Charge>) {
        let given = self.between_regions.given;
        if given.is_none() && self.between_regions.catalogue.is_none() {
            if !self.missing.contains(&self.between_regions.key) {
                self.missing.push(self.between_regions.key);
            }
            return;
        }
        if given.is_none() {
            let fact = &self.catalogue.regions().traffic;
            let prices: Vec<String> = moving.prices.iter().map(UnitPrice::to_string).collect();
            let from = format!("(catalogue, {}, confidence {})", fact.date, first_clause(&fact.confidence));
            self.used.push((format!("traffic of saves to another region {}", prices.join(" or ")), from));
        }
        for (number, price) in moving.prices.iter().take(MOVE_PRICES).enumerate() {
            let rate = Rate::Moved { price: given.unwrap_or(*price), size: moving.size, ends: 1 };
            charges.push(Charge { item: Item::MoveTraffic(number), rate });
        }
    }

    /// Lines of what nodes pull.
    pub fn pulled(&mut self, s: &mut Section<'_, '_>, pulls: &Pulls, charges: &mut Vec<Charge>) {
        for (item, pull) in [(Item::Image, pulls.image), (Item::Data, pulls.data)] {
            if let Some((size, way)) = pull {
                self.moved(s, item, size, way, charges);
            }
        }
    }

    /// Bytes on their way; those that move for nothing have no line.
    fn moved(
        &mut self,
        s: &mut Section<'_, '_>,
        item: Item,
        size: Bytes,
        way: Way,
        charges: &mut Vec<Charge>,
    ) {
        let fact = &self.catalogue.extras().traffic;
        let fact = (fact.date.as_str(), fact.confidence.as_str());
        let (price, ends) = match way {
            Way::SameRegion | Way::Internet => return,
            Way::BetweenZones => {
                (self.price(s, self.between_zones, "traffic between zones, each end,", fact), 2)
            }
            Way::BetweenRegions => (self.price(s, self.between_regions, "traffic out of a region", fact), 1),
        };
        charges.extend(price.map(|price| Charge { item, rate: Rate::Moved { price, size, ends } }));
    }

    /// Says which prices of the catalogue lines hang on, and what has none.
    pub fn say(self, assumed: &mut Vec<Assumed>) {
        let mut told: Vec<&str> = Vec::new();
        for (_, from) in &self.used {
            if !told.contains(&from.as_str()) {
                told.push(from);
                let alike = self.used.iter().filter(|(_, other)| other == from);
                let what: Vec<&str> = alike.map(|(what, _)| what.as_str()).collect();
                let value = what.join(", ");
                let source = from.trim_start_matches('(').trim_end_matches(')');
                assumed.push(Assumed::new("Bill", format!("{value} {from}")).with(value, source, ""));
            }
        }
        if !self.missing.is_empty() {
            let (provider, missing) = (self.provider, self.missing.join(", "));
            let told = format!(
                "not billed, as the catalogue has no such price of {provider}: {missing} (give them in [pricing])"
            );
            assumed.push(Assumed::new("Bill", told));
        }
    }
}
