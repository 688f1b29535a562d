//! How fast nodes reach what checkpoints are saved on.

use super::Estimate;
use serde::Deserialize;

/// The constants of `data/storage.toml`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Storage {
    /// One request that uploads to S3, bytes/s.
    pub s3_write_request_bytes_per_s: Estimate,
    /// One request that downloads from S3, bytes/s.
    pub s3_read_request_bytes_per_s: Estimate,
    /// Requests that a node has under way at once.
    pub s3_requests: Estimate,
    /// A gp3 volume as it is made, bytes/s.
    pub ebs_volume_bytes_per_s: Estimate,
    /// One local drive, writing, bytes/s.
    pub local_drive_write_bytes_per_s: Estimate,
    /// One local drive, reading, bytes/s.
    pub local_drive_read_bytes_per_s: Estimate,
}

#[cfg(test)]
mod tests {
    use super::super::Catalogue;

    #[test]
    fn every_rate_lies_in_its_range_and_says_where_it_comes_from() {
        let storage = Catalogue::builtin().storage();
        for constant in [
            &storage.s3_write_request_bytes_per_s,
            &storage.s3_read_request_bytes_per_s,
            &storage.s3_requests,
            &storage.ebs_volume_bytes_per_s,
            &storage.local_drive_write_bytes_per_s,
            &storage.local_drive_read_bytes_per_s,
        ] {
            assert!(constant.low <= constant.value && constant.value <= constant.high, "{constant:?}");
            assert!(constant.date.starts_with("20") && !constant.source.is_empty(), "{constant:?}");
        }
    }

    /// 125 MiB/s.
    #[test]
    fn a_volume_as_it_is_made_has_the_documented_rate() {
        let rate = Catalogue::builtin().storage().ebs_volume_bytes_per_s.value;
        assert_eq!(rate, 125.0 * 1_048_576.0);
    }
}
