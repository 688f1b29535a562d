//! Which of a file's series of prices is a cluster's.

use super::problem::Problem;
use super::reader::nearest;
use crate::records::{Label, Prices};

/// What is looked for.
pub(super) struct Wanted<'a> {
    /// The cluster's zone, if it names one.
    pub zone: Option<&'a str>,
    /// The type as the cloud writes it.
    pub instance: &'a str,
    /// The product.
    pub product: &'a str,
}

/// Longer lists of names are cut.
const LISTED_MAX: usize = 12;

/// The series of the zone, type and product; else what the file has instead. A file that does not say one of
/// them has it for all; a region has it for its zones.
pub(super) fn choose(found: Vec<Prices>, wanted: &Wanted<'_>, file: &str) -> Result<Prices, Box<Problem>> {
    let in_zone = |label: &Label| wanted.zone.is_none_or(|zone| lies_in(zone, &label.zone));
    let of_type =
        |label: &Label| label.instance.is_empty() || label.instance.eq_ignore_ascii_case(wanted.instance);
    let of_product =
        |label: &Label| label.product.is_empty() || label.product.eq_ignore_ascii_case(wanted.product);
    let fits = |label: &Label| in_zone(label) && of_type(label) && of_product(label);
    let labels = || found.iter().map(|one| &one.label);
    let place = wanted.zone.map_or(String::new(), |zone| format!(" in {zone}"));
    let missing = |title: String, name: &str, noun: &str, names: Vec<&str>| {
        let near = nearest(name, names.iter().copied());
        let problem = Problem::error(title).note(format!("{noun} there: {}", listed(&names)));
        Box::new(match near {
            Some(near) => problem.help(format!("the nearest is \"{near}\"")),
            None => problem,
        })
    };
    if !labels().any(in_zone) {
        let zone = wanted.zone.unwrap_or("");
        let title = format!("\"{file}\" has no prices in {zone}");
        return Err(missing(title, zone, "zones", names(labels(), |label| &label.zone)));
    }
    if !labels().any(|label| in_zone(label) && of_type(label)) {
        let title = format!("\"{file}\" has no price of {}{place}", wanted.instance);
        let here = labels().filter(|label| in_zone(label));
        return Err(missing(title, wanted.instance, "types", names(here, |label| &label.instance)));
    }
    if !labels().any(fits) {
        let title = format!(
            "\"{file}\" has no price of {}{place} for the product \"{}\"",
            wanted.instance, wanted.product
        );
        let here = labels().filter(|label| in_zone(label) && of_type(label));
        return Err(missing(title, wanted.product, "products", names(here, |label| &label.product)));
    }
    // A zone's own prices go before those of its region.
    let own = |label: &Label| wanted.zone == Some(label.zone.as_str());
    let only_own = labels().any(|label| fits(label) && own(label));
    let found: Vec<Prices> =
        found.into_iter().filter(|one| fits(&one.label) && (!only_own || own(&one.label))).collect();
    let zones = names(found.iter().map(|one| &one.label), |label| &label.zone);
    if zones.len() > 1 {
        let title = format!("\"{file}\" has prices of {} in {} zones", wanted.instance, zones.len());
        let help = format!("say which the cluster is in: zones = [\"{}\"]", zones[0]);
        let problem = Problem::error(title).note(format!("zones there: {}", listed(&zones))).help(help);
        return Err(Box::new(problem));
    }
    let said = |label: &Label| (!label.instance.is_empty(), !label.product.is_empty());
    let best = found.into_iter().max_by_key(|one| said(&one.label));
    Ok(best.expect("at least one series fits"))
}

/// Whether `zone` is `place`, or lies in it where that is a region or unsaid.
fn lies_in(zone: &str, place: &str) -> bool {
    let rest = zone.strip_prefix(place);
    rest.is_some_and(|rest| {
        let of_aws =
            rest.len() == 1 && rest.as_bytes()[0].is_ascii_lowercase() && place.ends_with(char::is_numeric);
        place.is_empty() || rest.is_empty() || rest.starts_with('-') || of_aws
    })
}

/// Different names, in order.
fn names<'a>(
    labels: impl Iterator<Item = &'a Label>,
    name: impl Fn(&'a Label) -> &'a String,
) -> Vec<&'a str> {
    let mut names: Vec<&str> = labels.map(|label| name(label).as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

fn listed(names: &[&str]) -> String {
    let mut text = names.iter().take(LISTED_MAX).copied().collect::<Vec<_>>().join(", ");
    if names.len() > LISTED_MAX {
        text += &format!(" and {} more", names.len() - LISTED_MAX);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(labels: &[(&str, &str, &str)]) -> Vec<Prices> {
        let one = |&(zone, instance, product): &(&str, &str, &str)| Prices {
            label: Label { zone: zone.into(), instance: instance.into(), product: product.into() },
            changes: Vec::new(),
        };
        labels.iter().map(one).collect()
    }

    fn chosen(zone: Option<&str>, labels: &[(&str, &str, &str)]) -> Result<String, String> {
        let wanted = Wanted { zone, instance: "g5.12xlarge", product: "Linux/UNIX" };
        match choose(file(labels), &wanted, "f") {
            Ok(one) => Ok(format!("{} {}", one.label.zone, one.label.product)),
            Err(problem) => Err([&[problem.title][..], &problem.notes, &problem.helps].concat().join("; ")),
        }
    }

    #[test]
    fn what_a_file_does_not_say_it_has_for_all() {
        let zone = Some("us-east-1a");
        assert_eq!(chosen(zone, &[("", "", "")]), Ok(" ".into()));
        assert_eq!(chosen(zone, &[("us-east-1", "G5.12xlarge", "")]), Ok("us-east-1 ".into()));
        let both = [("us-east-1", "g5.12xlarge", ""), ("us-east-1a", "g5.12xlarge", "Linux/UNIX")];
        assert_eq!(chosen(zone, &both), Ok("us-east-1a Linux/UNIX".into()));
        assert_eq!(chosen(Some("us-east5-b"), &[("us-east5", "g5.12xlarge", "")]), Ok("us-east5 ".into()));
        assert_eq!(chosen(None, &both[1..]), Ok("us-east-1a Linux/UNIX".into()));
    }

    #[test]
    fn what_is_not_there_is_said_with_what_is() {
        let zone = Some("us-east-1a");
        let check = |zone, labels: &[_], right: &str| assert_eq!(chosen(zone, labels), Err(right.into()));
        check(
            zone,
            &[("us-east-1a", "g5.24xlarge", ""), ("us-east-1b", "g5.12xlarge", "")],
            "\"f\" has no price of g5.12xlarge in us-east-1a; types there: g5.24xlarge; the nearest is \"g5.24xlarge\"",
        );
        check(
            zone,
            &[("us-east-1b", "g5.12xlarge", "")],
            "\"f\" has no prices in us-east-1a; zones there: us-east-1b; the nearest is \"us-east-1b\"",
        );
        check(
            zone,
            &[("us-east-1a", "g5.12xlarge", "Windows")],
            "\"f\" has no price of g5.12xlarge in us-east-1a for the product \"Linux/UNIX\"; products there: Windows",
        );
        check(
            None,
            &[("b", "g5.12xlarge", ""), ("a", "g5.12xlarge", "")],
            "\"f\" has prices of g5.12xlarge in 2 zones; zones there: a, b; say which the cluster is in: zones = [\"a\"]",
        );
        // A zone of ten letters more is no zone of a region.
        assert!(chosen(Some("us-east-1a"), &[("us-east", "g5.12xlarge", "")]).is_ok());
        assert!(chosen(Some("us-east-12"), &[("us-east-1", "g5.12xlarge", "")]).is_err());
    }
}
