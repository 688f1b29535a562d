// Adam's update in one pass, and in the seven of PyTorch's update over lists of tensors. Four numbers to an invocation.
// Constants given: FOURS, BETA1, BETA2, EPSILON, STEP (rate / (1 - β1ⁿ)), ROOT (√(1 - β2ⁿ)).

@group(0) @binding(0) var<storage, read_write> parameters: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> gradients: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> first: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> second: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> denominators: array<vec4<f32>>;

@compute @workgroup_size(256)
fn fused(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = group_of(id) * 256u + local;
    if (i < FOURS) {
        let g = gradients[i];
        let m = first[i] + (1.0 - BETA1) * (g - first[i]);
        let v = BETA2 * second[i] + (1.0 - BETA2) * g * g;
        first[i] = m;
        second[i] = v;
        parameters[i] -= STEP * m / (sqrt(v) / ROOT + EPSILON);
    }
}

@compute @workgroup_size(256)
fn lerp(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = group_of(id) * 256u + local;
    if (i < FOURS) {
        first[i] += (1.0 - BETA1) * (gradients[i] - first[i]);
    }
}

@compute @workgroup_size(256)
fn mul(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = group_of(id) * 256u + local;
    if (i < FOURS) {
        second[i] *= BETA2;
    }
}

@compute @workgroup_size(256)
fn addcmul(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = group_of(id) * 256u + local;
    if (i < FOURS) {
        second[i] += (1.0 - BETA2) * gradients[i] * gradients[i];
    }
}

@compute @workgroup_size(256)
fn root(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = group_of(id) * 256u + local;
    if (i < FOURS) {
        denominators[i] = sqrt(second[i]);
    }
}

@compute @workgroup_size(256)
fn div(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = group_of(id) * 256u + local;
    if (i < FOURS) {
        denominators[i] /= ROOT;
    }
}

@compute @workgroup_size(256)
fn add(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = group_of(id) * 256u + local;
    if (i < FOURS) {
        denominators[i] += EPSILON;
    }
}

@compute @workgroup_size(256)
fn addcdiv(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let i = group_of(id) * 256u + local;
    if (i < FOURS) {
        parameters[i] -= STEP * first[i] / denominators[i];
    }
}
