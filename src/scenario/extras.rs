//! What is billed beside the instances: disks, saves, requests, traffic.

use super::assumed::Assumed;
use super::checkpoint::Stored;
use super::echo::quoted;
use super::input::Store;
use super::moves::Moving;
use super::plan::Extras;
use super::rate_card::RateCard;
use super::section::Section;
use super::start::Pulls;
use crate::facts::InstanceRef;
use crate::pricing::{Charge, Item};
use crate::units::Bytes;

/// Saves that a volume has room for where `keep` does not say: the newest, and the one being written.
const ROOM_ON_VOLUME: u32 = 2;
const GB: u64 = 1_000_000_000;

/// What a cluster does that may be billed beside its instances.
#[derive(Debug, Clone, Default)]
pub(super) struct Used {
    /// Its saves, if it makes any.
    pub stored: Option<Stored>,
    /// What its nodes pull.
    pub pulls: Pulls,
    /// Nodes that restore.
    pub nodes: u32,
    /// How its saves go to another region, if they do.
    pub moving: Option<Moving>,
}

/// Reads `volume` and the prices beside instances in `[pricing]`, and gives the lines of the bill; `None`
/// where there are none. Prices that the scenario does not give are the catalogue's where it has them; what
/// has no price is left out, and said in `assumed`.
pub(super) fn read_extras(
    s: &mut Section<'_, '_>,
    used: &Used,
    instance: &InstanceRef<'static>,
    assumed: &mut Vec<Assumed>,
) -> Option<Extras> {
    let volume = read_volume(s);
    let mut card = RateCard::read(s, instance);
    let saves = used.stored.and_then(|stored| Saves::of(stored, used.nodes, assumed));
    let mut charges = Vec::new();
    let (mut keep, mut save_volumes) = (u64::MAX, 0);
    if let Some(saves) = saves.filter(|saves| saves.to == Store::S3) {
        card.stored_objects(s, &saves, &mut charges);
        keep = saves.keep.map_or(u64::MAX, u64::from);
    }
    if let Some(saves) = saves.filter(|saves| saves.to == Store::Ebs) {
        save_volumes = saves.writers;
        saved_on_volumes(s, &mut card, &saves, volume, &mut charges, assumed);
    }
    if let Some(size) = volume.filter(|_| save_volumes < used.nodes) {
        card.volumes(s, Item::NodeVolumes, size, 1, &mut charges);
    }
    if let Some(moving) = &used.moving {
        card.moved_saves(moving, &mut charges);
    }
    card.pulled(s, &used.pulls, &mut charges);
    card.say(assumed);
    (!charges.is_empty()).then_some(Extras { charges, keep, save_volumes })
}

/// The volumes that hold saves: those that are given, else as large as they must be.
fn saved_on_volumes(
    s: &mut Section<'_, '_>,
    card: &mut RateCard,
    saves: &Saves,
    volume: Option<Bytes>,
    charges: &mut Vec<Charge>,
    assumed: &mut Vec<Assumed>,
) {
    let kept = saves.keep.unwrap_or(ROOM_ON_VOLUME);
    let room_gb = saves.part.get().saturating_mul(u64::from(kept)).div_ceil(GB).max(1);
    let room = Bytes::new(room_gb.saturating_mul(GB));
    match volume {
        Some(size) if size < room => {
            let title = format!(
                "`volume = \"{size}\"` has no room for {kept} saves of {} GB",
                saves.part.as_f64() / 1e9
            );
            s.reader.field("volume").refuse(title, format!("write at least \"{room_gb} GB\""));
        }
        None if card.knows_volumes() => {
            let count =
                if saves.writers > 1 { format!("{} volumes", saves.writers) } else { "1 volume".to_owned() };
            let told = format!(
                "saves on {count} of {room_gb} GB, with room for {kept}, from the first grant to the end"
            );
            assumed.push(Assumed::new("Saves", told));
        }
        _ => {}
    }
    card.volumes(s, Item::SaveVolumes, volume.unwrap_or(room), u64::from(saves.writers), charges);
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
pub(super) struct Saves {
    to: Store,
    keep: Option<u32>,
    /// What one writer writes.
    pub part: Bytes,
    /// Nodes that write a part each.
    pub writers: u32,
    /// Nodes that read a part each, which is all of a save that one node wrote.
    pub reads: u32,
    /// Whether the store is in another region.
    pub other_region: bool,
}

impl Saves {
    fn of(stored: Stored, nodes: u32, assumed: &mut Vec<Assumed>) -> Option<Self> {
        let Stored { size, to, keep, writers, other_region, .. } = stored;
        let to = to.filter(|to| matches!(to, Store::S3 | Store::Ebs))?;
        let Some(size) = size else {
            let told = "saves are not billed: their size is not known (add `size` to [checkpoint])";
            assumed.push(Assumed::new("Saves", told));
            return None;
        };
        let part = Bytes::new(size.get().div_ceil(u64::from(writers.max(1))));
        Some(Self { to, keep, part, writers, reads: nodes, other_region })
    }

    /// All of a save.
    pub fn size(&self) -> Bytes {
        self.parts(self.writers)
    }

    /// What the nodes read at a restore.
    pub fn read(&self) -> Bytes {
        self.parts(self.reads)
    }

    fn parts(&self, n: u32) -> Bytes {
        Bytes::new(self.part.get().saturating_mul(u64::from(n)))
    }
}
