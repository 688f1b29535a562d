//! The nodes of a gang: who is asked for, held, lost.

use super::outcome::Part;
use crate::capacity::Law;
use crate::pricing::Ended;
use crate::rng::{Source, Stream, Streams};
use crate::scenario::plan::{Capacity, Plan};
use crate::units::{SimTime, Span};

/// A node's place in the gang.
#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub state: State,
    /// Burst training that the held node could pay for when the newest attempt that trained ended, or when
    /// it was granted after that.
    pub credit: Span,
    acquire: Draws,
    provision: Draws,
    lifetime: Draws,
    failure: Draws,
    /// The draw of a request that may be voided and made again: it takes the same time then.
    pending: Option<Span>,
    granted_before: bool,
}

/// What a slot is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Nothing.
    Absent,
    /// Requested; granted at that instant if the path allows it until then.
    Asked(SimTime),
    /// Ours.
    Held(Node),
}

/// A node that we hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    pub granted: SimTime,
    /// When it is provisioned.
    pub ready: SimTime,
    /// When it ends of itself.
    pub dies: SimTime,
    /// Whether it is taken back then or fails.
    pub ends: Ended,
}

/// A gang that gathers, as it stands now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gathering {
    /// When the last node is provisioned; never while one is missing.
    pub ready: SimTime,
    /// When the next request is granted.
    pub granted: SimTime,
    /// When the first node ends of itself.
    pub dies: SimTime,
    /// What the least advanced node waits for (rule 4).
    pub part: Part,
}

impl Gathering {
    /// A gang of no nodes yet.
    pub const fn new(now: SimTime) -> Self {
        Self { ready: now, granted: SimTime::NEVER, dies: SimTime::NEVER, part: Part::Provisioning }
    }

    /// Takes in one more slot of the gang.
    #[inline]
    pub fn include(&mut self, state: State) {
        match state {
            State::Held(node) => {
                self.ready = self.ready.max(node.ready);
                self.dies = self.dies.min(node.dies);
            }
            State::Asked(at) => {
                self.ready = SimTime::NEVER;
                self.granted = self.granted.min(at);
                self.part = self.part.min(Part::Acquiring);
            }
            State::Absent => {
                self.ready = SimTime::NEVER;
                self.part = Part::Queued;
            }
        }
    }
}

/// Draws of one law, one after the other; a constant law needs no stream.
#[derive(Debug, Clone)]
enum Draws {
    Constant(Span),
    Random(Stream),
}

impl Draws {
    #[inline]
    fn of(law: &Law, stream: impl FnOnce() -> Stream) -> Self {
        law.is_constant().map_or_else(|| Self::Random(stream()), Self::Constant)
    }

    #[inline]
    fn next(&mut self, law: &Law) -> Span {
        match self {
            Self::Constant(span) => *span,
            Self::Random(stream) => law.sample(stream),
        }
    }
}

/// The `slots` of a gang, which is one if it is `LONE`.
#[inline]
pub(super) fn gang_of<const LONE: bool>(slots: &mut [Slot]) -> &mut [Slot] {
    if LONE { &mut slots[..1] } else { slots }
}

impl Slot {
    /// An empty slot of one replication, with streams of its own: its k-th grant draws the same
    /// whatever the other slots do.
    #[inline]
    fn new(
        plan: &Plan,
        capacity: &Capacity,
        constant_acquire: Option<Span>,
        streams: &Streams,
        replication: u64,
        index: u64,
    ) -> Self {
        let stream = |source| move || streams.stream(source, capacity.zone, replication, index);
        let acquire = match constant_acquire {
            Some(span) => Draws::Constant(span),
            None => Draws::Random(stream(Source::Acquire)()),
        };
        let lifetime = match &capacity.lifetime {
            Some(law) => Draws::of(law, stream(Source::Lifetime)),
            None => Draws::Constant(Span::MAX),
        };
        let failure = match &plan.failures {
            Some(law) => Draws::of(law, stream(Source::Failure)),
            None => Draws::Constant(Span::MAX),
        };
        let provision = Draws::of(&plan.start.provision, stream(Source::Provision));
        Self {
            state: State::Absent,
            credit: Span::ZERO,
            acquire,
            provision,
            lifetime,
            failure,
            pending: None,
            granted_before: false,
        }
    }

    /// The empty slots of one replication in a zone, in place of `slots`.
    #[inline]
    pub fn fill(
        slots: &mut Vec<Self>,
        plan: &Plan,
        capacity: &Capacity,
        streams: &Streams,
        replication: u64,
    ) {
        slots.clear();
        let constant = capacity.acquire.is_constant().filter(|_| capacity.acquire == capacity.acquire_first);
        let new = |index| Self::new(plan, capacity, constant, streams, replication, u64::from(index));
        slots.extend((0..plan.slots()).map(new));
    }

    /// Takes the place of `other`, which is as empty, in another zone: the slot's first grant there is not the
    /// first of all if it had one here.
    pub fn follow(&mut self, other: &Self) {
        self.granted_before |= other.granted_before;
    }

    /// The node, if we hold one.
    pub const fn node(&self) -> Option<Node> {
        match self.state {
            State::Held(node) => Some(node),
            _ => None,
        }
    }

    /// When the open request is granted; never without one.
    pub const fn granted_at(&self) -> SimTime {
        match self.state {
            State::Asked(at) => at,
            _ => SimTime::NEVER,
        }
    }

    /// Asks for a Spot node at `now`.
    #[inline]
    pub fn ask(&mut self, capacity: &Capacity, now: SimTime) {
        let law = if self.granted_before { &capacity.acquire } else { &capacity.acquire_first };
        let Self { pending, acquire, .. } = self;
        let span = *pending.get_or_insert_with(|| acquire.next(law));
        self.state = State::Asked(now + span);
    }

    /// Takes the Spot node granted at `now`.
    #[inline]
    pub fn grant(&mut self, plan: &Plan, capacity: &Capacity, now: SimTime, spare_provision: bool) {
        self.pending = None;
        self.granted_before = true;
        let lifetime = match &capacity.lifetime {
            Some(law) => at_least_1_ns(self.lifetime.next(law)),
            None => Span::MAX,
        };
        self.hold(plan, now, spare_provision, lifetime);
    }

    /// Takes an On-Demand node at `now`: always granted, never taken back.
    pub fn grant_on_demand(&mut self, plan: &Plan, now: SimTime, spare_provision: bool) {
        self.hold(plan, now, spare_provision, Span::MAX);
    }

    /// A new node whose credits are full; it is taken back or fails, whichever comes first.
    #[inline]
    fn hold(&mut self, plan: &Plan, now: SimTime, spare_provision: bool, lifetime: Span) {
        let ready = self.provisioned_at(plan, now, spare_provision);
        let mut node = Node { granted: now, ready, dies: now + lifetime, ends: Ended::Reclaimed };
        if let Some(law) = &plan.failures {
            let fails = now + at_least_1_ns(self.failure.next(law));
            if fails < node.dies {
                (node.dies, node.ends) = (fails, Ended::Failed);
            }
        }
        self.state = State::Held(node);
        if let Some(burst) = &plan.work.burst {
            self.credit = burst.full;
        }
    }

    /// The draw is made even when it is spared, so that sparing it shifts no later draw.
    #[inline]
    fn provisioned_at(&mut self, plan: &Plan, now: SimTime, spare: bool) -> SimTime {
        let span = self.provision.next(&plan.start.provision);
        if spare { now } else { now + span }
    }
}

/// A life that rounds to nothing would grant and lose for ever at one instant.
#[inline]
fn at_least_1_ns(life: Span) -> Span {
    life.max(Span::from_ns(1))
}
