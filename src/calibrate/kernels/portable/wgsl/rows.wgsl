// Softmax and layer norm. LANES invocations share a row, and a workgroup has SHARES rows; `sum_of` and `most_of` gather
// what the lanes found. Rows past the end are computed again and not written, so that every barrier is met by all.
// Constants given: ROWS, WIDTH, LANES, SHARES, EPSILON.

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> softmax_y: array<f32>;

@group(0) @binding(1) var<storage, read> weight: array<f32>;
@group(0) @binding(2) var<storage, read> bias: array<f32>;
@group(0) @binding(3) var<storage, read_write> y: array<f32>;
@group(0) @binding(4) var<storage, read_write> result_means: array<f32>;
@group(0) @binding(5) var<storage, read_write> result_reciprocals: array<f32>;

@group(0) @binding(2) var<storage, read> means: array<f32>;
@group(0) @binding(3) var<storage, read> reciprocals: array<f32>;
@group(0) @binding(4) var<storage, read> gradient: array<f32>;
@group(0) @binding(5) var<storage, read_write> result: array<f32>;

struct Mine {
    row: u32,
    lane: u32,
    start: u32,
    live: bool,
}

fn mine(id: vec3<u32>, local: u32) -> Mine {
    let row = group_of(id) * SHARES + local / LANES;
    let inside = min(row, ROWS - 1u);
    return Mine(inside, local % LANES, inside * WIDTH, row < ROWS);
}

@compute @workgroup_size(LANES * SHARES)
fn softmax(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let at = mine(id, local);
    var most = -3.0e38;
    for (var i = at.lane; i < WIDTH; i += LANES) {
        most = max(most, x[at.start + i]);
    }
    most = most_of(local, most);
    var sum = 0.0;
    for (var i = at.lane; i < WIDTH; i += LANES) {
        sum += exp(x[at.start + i] - most);
    }
    let share = 1.0 / sum_of(local, sum);
    if (at.live) {
        for (var i = at.lane; i < WIDTH; i += LANES) {
            softmax_y[at.start + i] = exp(x[at.start + i] - most) * share;
        }
    }
}

@compute @workgroup_size(LANES * SHARES)
fn layer_norm(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let at = mine(id, local);
    var sum = 0.0;
    for (var i = at.lane; i < WIDTH; i += LANES) {
        sum += x[at.start + i];
    }
    let mean = sum_of(local, sum) / f32(WIDTH);
    var squares = 0.0;
    for (var i = at.lane; i < WIDTH; i += LANES) {
        let off = x[at.start + i] - mean;
        squares += off * off;
    }
    let reciprocal = 1.0 / sqrt(sum_of(local, squares) / f32(WIDTH) + EPSILON);
    if (at.live) {
        for (var i = at.lane; i < WIDTH; i += LANES) {
            y[at.start + i] = (x[at.start + i] - mean) * reciprocal * weight[i] + bias[i];
        }
        if (at.lane == 0u) {
            result_means[at.row] = mean;
            result_reciprocals[at.row] = reciprocal;
        }
    }
}

@compute @workgroup_size(LANES * SHARES)
fn layer_norm_backward(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let at = mine(id, local);
    let mean = means[at.row];
    let reciprocal = reciprocals[at.row];
    var sum = 0.0;
    var along = 0.0;
    for (var i = at.lane; i < WIDTH; i += LANES) {
        let g = gradient[at.start + i] * weight[i];
        sum += g;
        along += g * (x[at.start + i] - mean) * reciprocal;
    }
    let g_mean = sum_of(local, sum) / f32(WIDTH);
    let g_along = sum_of(local, along) / f32(WIDTH);
    if (at.live) {
        for (var i = at.lane; i < WIDTH; i += LANES) {
            let normal = (x[at.start + i] - mean) * reciprocal;
            result[at.start + i] = (gradient[at.start + i] * weight[i] - g_mean - normal * g_along) * reciprocal;
        }
    }
}
