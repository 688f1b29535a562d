//! What a law of lifetimes is fitted to, where a file holds no stays of nodes themselves.

use super::jobs::uptimes;
use crate::records::{Content, Stays};
use std::borrow::Cow;

/// The stays of a recording: of nodes, of the gangs of jobs between interruptions, or lifetimes as stays that
/// begin together. `None` where there are none.
pub fn stays(content: &Content) -> Option<Cow<'_, Stays>> {
    match content {
        Content::Stays(stays) => Some(Cow::Borrowed(stays)),
        Content::Jobs(jobs) => Some(Cow::Owned(uptimes(jobs))),
        Content::Lifetimes(lifetimes) => Some(Cow::Owned(lifetimes.stays())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::{How, StayEnd, kinds};

    #[test]
    fn jobs_and_lifetimes_give_stays() {
        for (text, count, lost) in [
            (include_str!("../../tests/cases/13-sacct.txt"), 5, 2),
            (include_str!("../../tests/cases/11-describe-training-job.json"), 3, 2),
            ("3600\n7200\n90000\n", 3, 2),
        ] {
            let recording = (kinds::found(text).unwrap().read)(text, &How::default()).unwrap();
            let stays = stays(&recording.content).unwrap();
            let ended_lost = stays.stays.iter().filter(|stay| stay.ended == StayEnd::Lost).count();
            assert_eq!((stays.stays.len(), ended_lost), (count, lost));
        }
    }
}
