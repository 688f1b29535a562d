// Attention, a query or a key to an invocation, its numbers in registers. All rows of a head are read by its neighbours
// at the same time, so that caches serve them; scores are never written.
// Lane is vec4<f32> where a head's width is a multiple of 4, else f32; `inner` is a lane's inner product.
// Constants given: ROWS (of all heads), TOKENS, LANES (of a row), SCALE (1 / √width).

@group(0) @binding(0) var<storage, read> q: array<Lane>;
@group(0) @binding(1) var<storage, read> k: array<Lane>;
@group(0) @binding(2) var<storage, read> v: array<Lane>;
@group(0) @binding(3) var<storage, read_write> result: array<Lane>;
@group(0) @binding(4) var<storage, read_write> result_log_sums: array<f32>;

@group(0) @binding(3) var<storage, read> output: array<Lane>;
@group(0) @binding(4) var<storage, read> log_sums: array<f32>;
@group(0) @binding(5) var<storage, read> gradient: array<Lane>;
@group(0) @binding(6) var<storage, read_write> out: array<Lane>;
@group(0) @binding(7) var<storage, read> deltas: array<f32>;
@group(0) @binding(7) var<storage, read_write> result_deltas: array<f32>;

// The running maximum and sum follow M. Milakov and N. Gimelshein (2018), arXiv:1805.02867.
@compute @workgroup_size(64)
fn forward(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = group_of(id) * 64u + local;
    if (row >= ROWS) {
        return;
    }
    let mine = row * LANES;
    let head = row / TOKENS * TOKENS;
    //each LANES: let q# = q[mine + #u] * SCALE;
    //each LANES: var sum# = Lane();
    var most = -3.0e38;
    var total = 0.0;
    for (var other = head; other < head + TOKENS; other++) {
        let at = other * LANES;
        var score = 0.0;
        //each LANES: score += inner(q#, k[at + #u]);
        if (score > most) {
            let shrink = exp(most - score);
            total *= shrink;
            //each LANES: sum# *= shrink;
            most = score;
        }
        let weight = exp(score - most);
        total += weight;
        //each LANES: sum# += weight * v[at + #u];
    }
    let share = 1.0 / total;
    //each LANES: result[mine + #u] = sum# * share;
    result_log_sums[row] = most + log(total);
}

// Inner product of each row's output and its gradient: what its softmax's gradient takes off every score.
@compute @workgroup_size(64)
fn delta(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = group_of(id) * 64u + local;
    if (row >= ROWS) {
        return;
    }
    let mine = row * LANES;
    var sum = 0.0;
    //each LANES: sum += inner(output[mine + #u], gradient[mine + #u]);
    result_deltas[row] = sum;
}

@compute @workgroup_size(64)
fn queries(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = group_of(id) * 64u + local;
    if (row >= ROWS) {
        return;
    }
    let mine = row * LANES;
    let head = row / TOKENS * TOKENS;
    let log_sum = log_sums[row];
    let delta = deltas[row];
    //each LANES: let q# = q[mine + #u] * SCALE;
    //each LANES: let g# = gradient[mine + #u];
    //each LANES: var sum# = Lane();
    for (var other = head; other < head + TOKENS; other++) {
        let at = other * LANES;
        var score = 0.0;
        var towards = 0.0;
        //each LANES: score += inner(q#, k[at + #u]);
        //each LANES: towards += inner(g#, v[at + #u]);
        let slope = exp(score - log_sum) * (towards - delta);
        //each LANES: sum# += slope * k[at + #u];
    }
    //each LANES: out[mine + #u] = sum# * SCALE;
}

// Keys and values are passes of their own: together they would need more registers than a GPU's invocation has.
@compute @workgroup_size(64)
fn keys(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = group_of(id) * 64u + local;
    if (row >= ROWS) {
        return;
    }
    let mine = row * LANES;
    let head = row / TOKENS * TOKENS;
    //each LANES: let k# = k[mine + #u] * SCALE;
    //each LANES: let v# = v[mine + #u];
    //each LANES: var sum# = Lane();
    for (var other = head; other < head + TOKENS; other++) {
        let at = other * LANES;
        var score = 0.0;
        var towards = 0.0;
        //each LANES: score += inner(k#, q[at + #u]);
        //each LANES: towards += inner(v#, gradient[at + #u]);
        let slope = exp(score - log_sums[other]) * (towards - deltas[other]);
        //each LANES: sum# += slope * q[at + #u];
    }
    //each LANES: out[mine + #u] = sum# * SCALE;
}

@compute @workgroup_size(64)
fn values(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let row = group_of(id) * 64u + local;
    if (row >= ROWS) {
        return;
    }
    let mine = row * LANES;
    let head = row / TOKENS * TOKENS;
    //each LANES: let k# = k[mine + #u] * SCALE;
    //each LANES: var sum# = Lane();
    for (var other = head; other < head + TOKENS; other++) {
        let at = other * LANES;
        var score = 0.0;
        //each LANES: score += inner(k#, q[at + #u]);
        let weight = exp(score - log_sums[other]);
        //each LANES: sum# += weight * gradient[at + #u];
    }
    //each LANES: out[mine + #u] = sum#;
}
