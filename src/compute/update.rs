//! The update of the parameters, of any model.

use super::timer::Timer;
use super::{Group, Operation, Optimizer, Recipe, kernel};

/// Bytes to cast one parameter for the products, and as many for its gradient back: one of four and one of
/// two. Source: section 2 of the reference's roofline model.
const CAST_BYTES: f64 = 6.0;

/// Update of the parameters, and under autocast the casts of parameters and gradients.
pub(super) fn update(params: f64, recipe: &Recipe, timer: &Timer<'_>) -> Vec<Operation> {
    let moved = recipe.optimizer.numbers_moved(recipe.fused_optimizer);
    let bytes = params * recipe.precision.weight_bytes() * moved;
    let kernel = match (recipe.optimizer, recipe.fused_optimizer) {
        (Optimizer::Adam, fused) => {
            let name = if fused { kernel::ADAM } else { kernel::ADAM_FOR_EACH };
            let format = recipe.precision.weight_name();
            timer.named_traffic(name, &format!("{params}"), format, bytes)
        }
        _ => timer.traffic(bytes),
    };
    // It belongs to neither pass.
    let update = Operation::of(Group::Optimizer, "update", 1, &[], &[kernel]);
    let mut operations = vec![Operation { backward_s: 0.0, optimizer_s: update.backward_s, ..update }];
    if recipe.precision.is_autocast() {
        let cast = || timer.traffic(CAST_BYTES * params);
        operations.push(Operation::of(Group::WeightCasts, "weight casts", 1, &[cast()], &[cast()]));
    }
    operations
}
