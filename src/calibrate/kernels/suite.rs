//! Which kernels are measured for which models.

use super::{Heads, Number, Pass, Rows, Task, Work};
use crate::compute::{Product, VitShape};
use std::collections::BTreeSet;

/// What a step's kernels are asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct Suite {
    /// Models, by shape. The first gives the sizes of copies.
    pub models: Vec<VitShape>,
    /// Samples of a step. Of the first all kernels are measured, of the others those whose time bends with the size:
    /// products, and what goes over tokens.
    pub batches: Vec<u32>,
    /// Number formats. Of the first all is measured at all batches, of the others at the first batch.
    pub numbers: Vec<Number>,
    /// Whether large copies inside the device are measured too.
    pub large_copies: bool,
}

impl Suite {
    /// The kernels, each once, in the order in which they are measured.
    pub fn tasks(&self) -> Vec<Task> {
        let mut all = Vec::new();
        let first_number = self.numbers.first().copied();
        let first_batch = self.batches.first().copied();
        for &number in &self.numbers {
            let batches = if Some(number) == first_number { &self.batches[..] } else { &self.batches[..1] };
            for model in &self.models {
                for &batch in batches {
                    let step = Step { model, batch: u64::from(batch), number };
                    step.products(&mut all);
                    step.over_tokens(&mut all);
                    if Some(batch) == first_batch {
                        step.attention(&mut all);
                    }
                }
            }
        }
        let wide = |work| Task { work, number: Number::Fp32 };
        for model in &self.models {
            all.extend([wide(Work::Adam(model.params())), wide(Work::AdamForEach(model.params()))]);
        }
        if let (Some(model), Some(batch)) = (self.models.first(), first_batch) {
            let images = 4 * u64::from(batch) * model.image_numbers();
            let mut copies = vec![Work::Memcpy(images)];
            if self.large_copies {
                copies.extend([Work::Memcpy(4 * model.params()), Work::Memcpy(12 * model.params())]);
            }
            copies.extend([Work::HostCopy(images), Work::HostCopyPinned(images), Work::Launch]);
            all.extend(copies.into_iter().map(wide));
        }
        let mut seen = BTreeSet::new();
        all.retain(|task| seen.insert((task.name(), task.shape(), task.precision())));
        all
    }
}

/// One model's step.
struct Step<'a> {
    model: &'a VitShape,
    batch: u64,
    number: Number,
}

impl Step<'_> {
    fn width(&self) -> u64 {
        u64::from(self.model.width)
    }

    fn rows(&self) -> u64 {
        self.batch * self.model.tokens()
    }

    fn push(&self, all: &mut Vec<Task>, works: impl IntoIterator<Item = Work>) {
        all.extend(works.into_iter().map(|work| Task { work, number: self.number }));
    }

    /// The products of every linear layer, forward and backward. The patches' pixels need no gradient.
    fn products(&self, all: &mut Vec<Task>) {
        let (d, hidden, rows) = (self.width(), self.model.hidden(), self.rows());
        let patches = self.batch * self.model.patches();
        let linear = |rows, out, input| {
            [
                Work::Gemm(Pass::Forward, Product::one(rows, out, input)),
                Work::Gemm(Pass::Dgrad, Product::one(rows, input, out)),
                Work::Gemm(Pass::Wgrad, Product::one(out, input, rows)),
            ]
        };
        for (out, input) in [(3 * d, d), (d, d), (hidden, d), (d, hidden)] {
            self.push(all, linear(rows, out, input));
        }
        let [forward, _, wgrad] = linear(patches, d, self.model.patch_numbers());
        self.push(all, [forward, wgrad]);
        self.push(all, linear(self.batch, u64::from(self.model.classes), d));
    }

    /// Attention fused, and its parts where it is not.
    fn attention(&self, all: &mut Vec<Task>) {
        let (heads, tokens) = (u64::from(self.model.heads), self.model.tokens());
        let width = self.width() / heads;
        let shape = Heads { batch: self.batch, heads, tokens, width };
        let batch = self.batch * heads;
        let scores = Product { m: tokens, n: tokens, k: width, batch };
        let values = Product { m: tokens, n: width, k: tokens, batch };
        self.push(
            all,
            [
                Work::Attention(shape),
                Work::AttentionBackward(shape),
                Work::BatchedGemm(Pass::Forward, scores),
                Work::BatchedGemm(Pass::Dgrad, values),
                Work::Softmax(Rows { rows: batch * tokens, width: tokens }),
            ],
        );
    }

    /// What goes over all tokens once.
    fn over_tokens(&self, all: &mut Vec<Task>) {
        let rows = self.rows();
        let token = Rows { rows, width: self.width() };
        let hidden = Rows { rows, width: self.model.hidden() };
        self.push(
            all,
            [
                Work::LayerNorm(token),
                Work::LayerNormBackward(token),
                Work::Gelu(hidden),
                Work::GeluBackward(hidden),
                Work::ResidualAdd(token),
                Work::ColumnSum(token),
                Work::ColumnSum(Rows { rows, width: 3 * self.width() }),
                Work::ColumnSum(hidden),
            ],
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compute::BASE_16;

    fn suite() -> Suite {
        Suite { models: vec![BASE_16], batches: vec![128], numbers: vec![Number::Bf16], large_copies: true }
    }

    fn shapes(name: &str) -> Vec<String> {
        suite().tasks().iter().filter(|task| task.name() == name).map(Task::shape).collect()
    }

    /// Section 5 of the reference's roofline model, rows 1 to 3, as m x n x k.
    #[test]
    fn products_have_the_shapes_of_the_reference() {
        let forward = [
            "25216x2304x768",
            "25216x768x768",
            "25216x3072x768",
            "25216x768x3072",
            "25088x768x768",
            "128x1000x768",
        ];
        let dgrad = ["25216x768x2304", "25216x768x768", "25216x768x3072", "25216x3072x768", "128x768x1000"];
        let wgrad = [
            "2304x768x25216",
            "768x768x25216",
            "3072x768x25216",
            "768x3072x25216",
            "768x768x25088",
            "1000x768x128",
        ];
        assert_eq!(shapes("gemm"), forward);
        assert_eq!(shapes("gemm_dgrad"), dgrad);
        assert_eq!(shapes("gemm_wgrad"), wgrad);
    }

    /// Rows 4 to 13 of the same table.
    #[test]
    fn the_other_kernels_have_the_shapes_of_the_reference() {
        for (name, right) in [
            ("attention", vec!["128x12x197x64"]),
            ("attention_backward", vec!["128x12x197x64"]),
            ("batched_gemm", vec!["1536x197x197x64", "1536x197x64x197"]),
            ("softmax", vec!["302592x197"]),
            ("layer_norm", vec!["25216x768"]),
            ("gelu_backward", vec!["25216x3072"]),
            ("residual_add", vec!["25216x768"]),
            ("column_sum", vec!["25216x768", "25216x2304", "25216x3072"]),
            ("memcpy", vec!["77070336", "346270624", "1038811872"]),
            ("adam", vec!["86567656"]),
            ("adam_for_each", vec!["86567656"]),
            ("host_copy", vec!["77070336"]),
            ("host_copy_pinned", vec!["77070336"]),
            ("launch", vec!["1"]),
        ] {
            assert_eq!(shapes(name), right, "{name}");
        }
    }

    #[test]
    fn no_kernel_is_measured_twice() {
        let suite = Suite { numbers: Number::ALL.to_vec(), batches: vec![128, 16], ..suite() };
        let tasks = suite.tasks();
        let names: BTreeSet<_> =
            tasks.iter().map(|task| (task.name(), task.shape(), task.precision())).collect();
        assert_eq!(names.len(), tasks.len());
        assert!(names.contains(&("gemm", "3152x768x768".to_owned(), "bf16".to_owned())));
        assert!(!names.contains(&("gemm", "3152x768x768".to_owned(), "fp32".to_owned())));
    }
}
