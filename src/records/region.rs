//! Regions of zones.

/// The region of a zone, by how AWS and Google name them: `us-east-1a`, `us-central1-a`, `use1-az1`. Any other
/// name is its own region.
pub fn region(zone: &str) -> &str {
    if let Some((region, number)) = zone.rsplit_once("-az")
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        return region;
    }
    match zone.strip_suffix(|c: char| c.is_ascii_lowercase()) {
        Some(rest) if rest.ends_with(|c: char| c.is_ascii_digit()) => rest,
        Some(rest) => rest.strip_suffix('-').unwrap_or(zone),
        None => zone,
    }
}

#[cfg(test)]
mod tests {
    use super::region;

    #[test]
    fn the_region_of_a_zone_is_its_name_without_the_letter() {
        assert_eq!(region("us-east-1a"), "us-east-1");
        assert_eq!(region("us-central1-a"), "us-central1");
        assert_eq!(region("use1-az1"), "use1");
        assert_eq!(region("any"), "any");
        assert_eq!(region("eastus-1"), "eastus-1");
    }
}
