//! What an upload beside training and the gradients take of each other, on one network card.

use super::anatomy::Anatomy;
use super::throughput::Throughput;
use crate::network::{Flow, fair_shares};
use crate::units::{Bandwidth, Bytes, Span};

/// An upload beside training.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Beside {
    /// How long it takes.
    pub upload: Span,
    /// By how much the steps made meanwhile take longer, all together.
    pub slower: Span,
}

impl Throughput {
    /// The upload of `size` from a node at no more than `rate` while steps go on, at the pace that lasts.
    ///
    /// While gradients are sent, they and the upload share the card fairly, and in the rest of a step the upload
    /// has it for itself. A card that is held to its baseline is shared in the mean. Where gradients do not pass
    /// the card, or a speed is given outright, neither slows the other.
    /// `free` is the step without it.
    pub(super) fn beside_upload(&self, free: &Anatomy, size: Bytes, rate: Bandwidth) -> Beside {
        let alone = Beside { upload: Span::from_secs_saturating(rate.secs_for(size)), slower: Span::ZERO };
        let machines = &self.machines;
        if machines.nodes < 2 || !self.scales() {
            return alone;
        }
        let Ok(beside) = self.modelled(machines, Some(rate)) else { return alone };
        let free_s = free.sustained.parts.total().as_secs();
        // While credits last, or where there are none, the card is shared by the moment.
        let fast = beside.burst.as_ref().unwrap_or(&beside.sustained);
        let fast_s = fast.parts.total().as_secs();
        let (step_s, upload_rate) = match (&free.burst, free.sustained.nic, fast.nic) {
            (Some(_), Some(baseline), _) => {
                let sent = beside.sent.as_f64();
                let flows = [
                    Flow { demand: sent / fast_s, cap: f64::INFINITY },
                    Flow { demand: f64::INFINITY, cap: rate.bytes_per_s() },
                ];
                let shares = fair_shares(baseline.bytes_per_s(), &flows);
                (fast_s.max(sent / shares[0]), shares[1])
            }
            (None, Some(card), Some(gradients)) => {
                let left = |gradients: f64| (card.bytes_per_s() - gradients).min(rate.bytes_per_s());
                let sending_s = fast.communication_s().min(fast_s);
                let sent = sending_s * left(gradients.bytes_per_s()) + (fast_s - sending_s) * left(0.0);
                (fast_s, sent / fast_s)
            }
            _ => return alone,
        };
        let upload_s = size.as_f64() / upload_rate;
        Beside {
            upload: Span::from_secs_saturating(upload_s),
            slower: Span::from_secs_saturating((upload_s * (1.0 - free_s / step_s)).max(0.0)),
        }
    }
}
