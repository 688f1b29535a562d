// Four numbers to an invocation. Buffers are whole fours long; what the last one computes past the end is not read.
// Constant given: FOURS.

@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;

@group(0) @binding(1) var<storage, read> other: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<f32>>;

// Φ(x), the standard normal law's distribution function, by way of the error function's approximation 7.1.26 in
// M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions" (1964): its error is at most 1.5e-7.
fn below(x: vec4<f32>) -> vec4<f32> {
    let z = abs(x) * 0.70710678118;
    let t = 1.0 / (1.0 + 0.3275911 * z);
    let polynomial = ((((1.061405429 * t - 1.453152027) * t + 1.421413741) * t - 0.284496736) * t + 0.254829592) * t;
    // Of the complement, so that it keeps its digits where x is far below 0.
    let tail = 0.5 * polynomial * exp(-z * z);
    return select(1.0 - tail, tail, x < vec4<f32>());
}

@compute @workgroup_size(256)
fn gelu(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = group_of(id) * 256u + local;
    if (i < FOURS) {
        y[i] = x[i] * below(x[i]);
    }
}

@compute @workgroup_size(256)
fn gelu_backward(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = group_of(id) * 256u + local;
    if (i < FOURS) {
        let at = x[i];
        let density = 0.39894228040 * exp(-0.5 * at * at);
        result[i] = other[i] * (below(at) + at * density);
    }
}

@compute @workgroup_size(256)
fn residual_add(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = group_of(id) * 256u + local;
    if (i < FOURS) {
        result[i] = x[i] + other[i];
    }
}

@compute @workgroup_size(1)
fn launch() {
}
