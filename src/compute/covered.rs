//! What measured steps of some GPUs can say about those of another.

use super::fit::FITTED_FRAMEWORKS;
use super::{ActivationKind, Case, CaseModel};
use std::collections::BTreeSet;

/// Version against which the traffic of [`FITTED_FRAMEWORKS`] is fitted.
const REFERENCE_FRAMEWORK: &str = "pytorch-1.12";

/// What a set of cases has in common with others besides the GPU: software and kinds that only one GPU was
/// measured with cannot be told for it from the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Covered {
    frameworks: BTreeSet<String>,
    kinds: BTreeSet<ActivationKind>,
}

impl Covered {
    /// Software and kinds of the cases.
    pub fn by<'a>(cases: impl IntoIterator<Item = &'a Case>) -> Self {
        let mut covered = Self::default();
        for case in cases {
            covered.frameworks.insert(case.row.framework.clone());
            if let CaseModel::Counts(kinds) = case.model {
                covered.kinds.extend(kinds);
            }
        }
        covered
    }

    /// What of a case is in `all` and not here: `"pytorch-1.12"`, `"cross-covariance"`.
    pub fn lacks(&self, all: &Self, case: &Case) -> Option<String> {
        let framework = &case.row.framework;
        let versioned = framework == REFERENCE_FRAMEWORK || FITTED_FRAMEWORKS.contains(&framework.as_str());
        if versioned && all.frameworks.contains(framework) && !self.frameworks.contains(framework) {
            return Some(framework.clone());
        }
        let CaseModel::Counts(kinds) = case.model else { return None };
        kinds
            .into_iter()
            .find(|kind| all.kinds.contains(kind) && !self.kinds.contains(kind))
            .map(|kind| kind.name().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::super::MeasuredRow;
    use super::super::measured::tests::{RTX_3090, row};
    use super::*;

    fn case(framework: &str, gpu: &str) -> Case {
        let row = MeasuredRow { framework: framework.into(), gpu: gpu.into(), ..row() };
        Case::new(&row, Some(RTX_3090)).unwrap()
    }

    #[test]
    fn software_of_one_gpu_alone_is_not_covered_by_the_others() {
        let (old, others) = (case("pytorch-1.10", "a"), [case("pytorch-1.12", "b")]);
        let all = Covered::by([&old, &others[0]]);
        assert_eq!(Covered::by(&others).lacks(&all, &old), Some("pytorch-1.10".into()));
        assert_eq!(all.lacks(&all, &old), None);
    }
}
