//! `[failures]`: hardware that fails, On-Demand too.

use super::section::Section;
use crate::capacity::Law;

/// Reads `[failures]`: how long a node runs until its hardware fails, from its grant.
pub fn read_failures(mut s: Section<'_, '_>) -> Option<Law> {
    let law = s.law("per_node");
    let never_runs = law.as_ref().is_some_and(|law| law.mean_s() <= 0.0);
    if never_runs {
        let field = s.reader.field("per_node");
        field.refuse("`per_node` must be above 0", "a node that fails at once cannot train");
    }
    s.reader.finish();
    law.filter(|_| !never_runs)
}
