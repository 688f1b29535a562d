//! What is billed beside the instances: disks, saves, requests, traffic.

use super::checkpoint::Stored;
use super::echo::{first_clause, quoted};
use super::input::Store;
use super::plan::Extras;
use super::section::Section;
use super::start::Pulls;
use crate::facts::{Catalogue, Cloud, InstanceRef};
use crate::pricing::{Charge, Item, Rate, parts, upload_requests};
use crate::units::{Bytes, Gb, GbMonth, Per, ThousandRequests, UnitPrice};

/// Saves that a volume has room for where `keep` does not say: the newest, and the one being written.
const ROOM_ON_VOLUME: u32 = 2;
const GB: u64 = 1_000_000_000;

/// What a cluster does that may be billed beside its instances.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Used {
    /// Its saves, if it makes any.
    pub stored: Option<Stored>,
    /// What its nodes pull.
    pub pulls: Pulls,
    /// Nodes that restore.
    pub nodes: u32,
}

/// Reads `volume` and the prices beside instances in `[pricing]`, and gives the lines of the bill; `None`
/// where there are none. Prices that the scenario does not give are the catalogue's where it has them; what
/// has no price is left out, and said in `assumed`.
pub(super) fn read_extras(
    s: &mut Section<'_, '_>,
    used: &Used,
    instance: &InstanceRef<'static>,
    assumed: &mut Vec<String>,
) -> Option<Extras> {
    let volume = read_volume(s);
    let mut card = Card::read(s, instance);
    let saves = used.stored.and_then(|stored| Saves::of(stored, used.nodes, assumed));
    let mut charges = Vec::new();
    let (mut keep, mut save_volumes) = (u64::MAX, 0);
    if let Some(saves) = saves.filter(|saves| saves.to == Store::S3) {
        card.stored_objects(s, &saves, &mut charges);
        keep = saves.keep.map_or(u64::MAX, u64::from);
    }
    let room = saves.filter(|saves| saves.to == Store::Ebs);
    if let Some(saves) = room {
        save_volumes = saves.writers;
        let room = saves.room_gb()?;
        let size = volume.unwrap_or(Bytes::new(room * GB));
        if size.get() < room * GB {
            let each = saves.part.as_f64() / 1e9;
            let title = format!("`volume = \"{size}\"` has no room for {} saves of {each} GB", saves.room());
            s.reader.field("volume").refuse(title, format!("write at least \"{room} GB\""));
            return None;
        }
        if volume.is_none() && card.volume.is_known() {
            let (count, which) = if saves.writers > 1 { (saves.writers, "volumes") } else { (1, "volume") };
            assumed.push(format!(
                "saves on {count} {which} of {room} GB, with room for {}, from the first grant to the end",
                saves.room()
            ));
        }
        card.volumes(s, Item::SaveVolumes, size, u64::from(saves.writers), &mut charges);
    }
    if let Some(size) = volume.filter(|_| save_volumes < used.nodes) {
        card.volumes(s, Item::NodeVolumes, size, 1, &mut charges);
    }
    card.pulled(s, &used.pulls, &mut charges);
    card.say(assumed);
    (!charges.is_empty()).then_some(Extras { charges, keep, save_volumes })
}

fn read_volume(s: &mut Section<'_, '_>) -> Option<Bytes> {
    let field = s.reader.field("volume");
    let size: Bytes = field.quantity()?;
    if size.get() == 0 {
        field.refuse_value("must be above 0");
        return None;
    }
    s.echo("volume", quoted(&size.to_string()), "of each node");
    Some(size)
}

/// Saves of known size.
#[derive(Debug, Clone, Copy)]
struct Saves {
    to: Store,
    keep: Option<u32>,
    /// What one writer writes.
    part: Bytes,
    writers: u32,
    /// What the nodes read at a restore, in units of `part`.
    reads: u32,
    other_region: bool,
}

impl Saves {
    fn of(stored: Stored, nodes: u32, assumed: &mut Vec<String>) -> Option<Self> {
        let Stored { size, to, keep, writers, other_region } = stored;
        let to = to.filter(|to| matches!(to, Store::S3 | Store::Ebs))?;
        let Some(size) = size else {
            assumed.push("saves are not billed: their size is not known (add `size` to [checkpoint])".into());
            return None;
        };
        let part = Bytes::new(size.get().div_ceil(u64::from(writers.max(1))));
        Some(Self { to, keep, part, writers, reads: nodes, other_region })
    }

    fn room(&self) -> u32 {
        self.keep.unwrap_or(ROOM_ON_VOLUME)
    }

    /// A writer's volume, whole gigabytes.
    fn room_gb(&self) -> Option<u64> {
        Some(self.part.get().checked_mul(u64::from(self.room()))?.div_ceil(GB).max(1))
    }

    fn size(&self) -> Bytes {
        times(self.part, self.writers)
    }
}

fn times(bytes: Bytes, n: u32) -> Bytes {
    Bytes::new(bytes.get().saturating_mul(u64::from(n)))
}

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

    fn is_known(&self) -> bool {
        self.given.or(self.catalogue).is_some()
    }
}

/// The prices beside instances that hold for a cluster.
struct Card {
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

impl Card {
    fn read(s: &mut Section<'_, '_>, instance: &InstanceRef<'static>) -> Self {
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

    fn stored_objects(&mut self, s: &mut Section<'_, '_>, saves: &Saves, charges: &mut Vec<Charge>) {
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
            for (item, size) in
                [(Item::SaveTraffic, saves.size()), (Item::RestoreTraffic, times(saves.part, saves.reads))]
            {
                self.moved(s, item, size, Way::BetweenRegions, charges);
            }
        }
    }

    fn volumes(
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

    fn pulled(&mut self, s: &mut Section<'_, '_>, pulls: &Pulls, charges: &mut Vec<Charge>) {
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

    fn say(self, assumed: &mut Vec<String>) {
        let mut told: Vec<&str> = Vec::new();
        for (_, from) in &self.used {
            if !told.contains(&from.as_str()) {
                told.push(from);
                let alike = self.used.iter().filter(|(_, other)| other == from);
                let what: Vec<&str> = alike.map(|(what, _)| what.as_str()).collect();
                assumed.push(format!("{} {from}", what.join(", ")));
            }
        }
        if !self.missing.is_empty() {
            assumed.push(format!(
                "not billed, as the catalogue has no such price of {}: {} (give them in [pricing])",
                self.provider,
                self.missing.join(", ")
            ));
        }
    }
}

/// From where bytes come, or where they go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// From a store of the region, or the same zone: free.
    SameRegion,
    /// Another zone.
    BetweenZones,
    /// Another region.
    BetweenRegions,
    /// The Internet; in is free.
    Internet,
}
