// A workgroup shares a row: sums and maxima are gathered in shared memory.
var<workgroup> gathered: array<f32, LANES>;

fn sum_of(local: u32, mine: f32) -> f32 {
    gathered[local] = mine;
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        if (local < half) {
            gathered[local] += gathered[local + half];
        }
        workgroupBarrier();
    }
    let sum = gathered[0];
    workgroupBarrier();
    return sum;
}

fn most_of(local: u32, mine: f32) -> f32 {
    gathered[local] = mine;
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        if (local < half) {
            gathered[local] = max(gathered[local], gathered[local + half]);
        }
        workgroupBarrier();
    }
    let most = gathered[0];
    workgroupBarrier();
    return most;
}
