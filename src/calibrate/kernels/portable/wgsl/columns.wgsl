// Sums of columns in two passes: PARTS parts of the rows first, a column of a part to an invocation, then the parts.
// Constants given: ROWS, WIDTH, PARTS, PART (rows of one).

@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<f32>;

@group(0) @binding(1) var<storage, read> means: array<f32>;
@group(0) @binding(2) var<storage, read> reciprocals: array<f32>;
@group(0) @binding(3) var<storage, read> gradient: array<f32>;
@group(0) @binding(4) var<storage, read_write> weight_parts: array<f32>;
@group(0) @binding(5) var<storage, read_write> bias_parts: array<f32>;

const ACROSS = (WIDTH + 63u) / 64u;

@compute @workgroup_size(64)
fn parts(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let group = group_of(id);
    let column = group % ACROSS * 64u + local;
    let part = group / ACROSS;
    if (column >= WIDTH || part >= PARTS) {
        return;
    }
    var sum = 0.0;
    for (var row = part * PART; row < min(ROWS, (part + 1u) * PART); row++) {
        sum += x[row * WIDTH + column];
    }
    sums[part * WIDTH + column] = sum;
}

// The same of what a layer norm's weight and bias are multiplied by.
@compute @workgroup_size(64)
fn norm_parts(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let group = group_of(id);
    let column = group % ACROSS * 64u + local;
    let part = group / ACROSS;
    if (column >= WIDTH || part >= PARTS) {
        return;
    }
    var weight = 0.0;
    var bias = 0.0;
    for (var row = part * PART; row < min(ROWS, (part + 1u) * PART); row++) {
        let g = gradient[row * WIDTH + column];
        weight += g * (x[row * WIDTH + column] - means[row]) * reciprocals[row];
        bias += g;
    }
    weight_parts[part * WIDTH + column] = weight;
    bias_parts[part * WIDTH + column] = bias;
}

@compute @workgroup_size(64)
fn gather(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let column = group_of(id) * 64u + local;
    if (column >= WIDTH) {
        return;
    }
    var sum = 0.0;
    for (var part = 0u; part < PARTS; part++) {
        sum += x[part * WIDTH + column];
    }
    sums[column] = sum;
}
