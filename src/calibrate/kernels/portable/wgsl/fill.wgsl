// What a buffer holds before a kernel runs, as bits: WGSL has no literal for not-a-number.
// Constants given: NUMBERS, SEED (times the hash's odd constant), FACTOR (scale / 2²⁴), POSITIVE.

@group(0) @binding(0) var<storage, read_write> bits: array<u32>;

// Values::at of buffers.rs for fp32; both factors and the product are exact.
@compute @workgroup_size(256)
fn values(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let place = group_of(id) * 256u + local;
    if (place >= NUMBERS) {
        return;
    }
    var hash = place ^ SEED;
    hash ^= hash >> 16u;
    hash *= 0x7feb352du;
    hash ^= hash >> 15u;
    hash *= 0x846ca68bu;
    hash ^= hash >> 16u;
    let magnitude = f32(2u * (hash >> 9u) + 1u) * FACTOR;
    let sign = select(hash & 1u, 0u, POSITIVE) << 31u;
    bits[place] = bitcast<u32>(magnitude) | sign;
}

@compute @workgroup_size(256)
fn poison(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let place = group_of(id) * 256u + local;
    if (place < NUMBERS) {
        bits[place] = 0x7fc00000u;
    }
}
