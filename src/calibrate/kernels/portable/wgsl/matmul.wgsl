// C = A · B for every matrix of a batch. The element (row, k) of A is at row * A_ROW + k * A_K, that of (k, column) of
// B at k * B_K + column * B_COLUMN, so that one kernel serves every layout.
// Constants given: M, N, K, BATCH, A_ROW, A_K, B_K, B_COLUMN, TILE, TILES_M, TILES_N, SIDE.

@group(0) @binding(0) var<storage, read> left: array<f32>;
@group(0) @binding(1) var<storage, read> right: array<f32>;
@group(0) @binding(2) var<storage, read_write> product: array<f32>;

const DEPTH = 8u;
var<workgroup> left_tile: array<f32, DEPTH * TILE>;
var<workgroup> right_tile: array<f32, DEPTH * TILE>;

struct Place {
    batch: u32,
    row: u32,
    column: u32,
}

fn tile_of(group: u32) -> Place {
    let tiles = TILES_M * TILES_N;
    let inside = group % tiles;
    return Place(min(group / tiles, BATCH - 1u), inside / TILES_N * TILE, inside % TILES_N * TILE);
}

fn store(group: u32, tile: Place, row: u32, column: u32, value: f32) {
    if (group < GROUPS && row < M && column < N) {
        product[tile.batch * M * N + row * N + column] = value;
    }
}

// 4 × 4 numbers for each invocation, read straight from memory: for devices where a barrier costs more than a cache.
@compute @workgroup_size(SIDE, SIDE)
fn blocks(@builtin(workgroup_id) id: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
    let group = group_of(id);
    let tile = tile_of(group);
    let row = tile.row + 4u * local.y;
    let column = tile.column + 4u * local.x;
    let columns = min(vec4<u32>(column) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(N - 1u));
    let b = vec4<u32>(tile.batch * K * N) + columns * B_COLUMN;
    //each 4: let a# = tile.batch * M * K + min(row + #u, M - 1u) * A_ROW;
    //each 4: var sum# = vec4<f32>();
    for (var k = 0u; k < K; k++) {
        let bk = b + vec4<u32>(k * B_K);
        let r = vec4<f32>(right[bk.x], right[bk.y], right[bk.z], right[bk.w]);
        //each 4: sum# += left[a# + k * A_K] * r;
    }
    //each 4: store(group, tile, row + #u, column, sum#.x);
    //each 4: store(group, tile, row + #u, column + 1u, sum#.y);
    //each 4: store(group, tile, row + #u, column + 2u, sum#.z);
    //each 4: store(group, tile, row + #u, column + 3u, sum#.w);
}

// 8 × 8 numbers for each of 16 × 16 invocations, SIDE apart, from tiles in shared memory.
@compute @workgroup_size(SIDE, SIDE)
fn tiles(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(local_invocation_id) local: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let group = group_of(id);
    let tile = tile_of(group);
    //each 8: var low# = vec4<f32>();
    //each 8: var high# = vec4<f32>();
    for (var start = 0u; start < K; start += DEPTH) {
        for (var i = index; i < DEPTH * TILE; i += SIDE * SIDE) {
            // Neighbours read neighbours: along k where k is the dense one.
            let a_place = select(vec2<u32>(i / TILE, i % TILE), vec2<u32>(i % DEPTH, i / DEPTH), A_K == 1u);
            let a_k = start + a_place.x;
            let a_row = tile.row + a_place.y;
            let a = tile.batch * M * K + min(a_row, M - 1u) * A_ROW + min(a_k, K - 1u) * A_K;
            left_tile[a_place.x * TILE + a_place.y] = select(0.0, left[a], a_k < K);
            let b_place = select(vec2<u32>(i / TILE, i % TILE), vec2<u32>(i % DEPTH, i / DEPTH), B_K == 1u);
            let b_k = start + b_place.x;
            let b_column = tile.column + b_place.y;
            let b = tile.batch * K * N + min(b_column, N - 1u) * B_COLUMN + min(b_k, K - 1u) * B_K;
            right_tile[b_place.x * TILE + b_place.y] = select(0.0, right[b], b_k < K);
        }
        workgroupBarrier();
        for (var k = 0u; k < DEPTH; k++) {
            let a = k * TILE + local.y;
            let b = k * TILE + local.x;
            let r_low = vec4<f32>(
                right_tile[b], right_tile[b + SIDE], right_tile[b + 2u * SIDE], right_tile[b + 3u * SIDE]);
            let r_high = vec4<f32>(
                right_tile[b + 4u * SIDE], right_tile[b + 5u * SIDE],
                right_tile[b + 6u * SIDE], right_tile[b + 7u * SIDE]);
            //each 8: let l# = left_tile[a + #u * SIDE];
            //each 8: low# += l# * r_low;
            //each 8: high# += l# * r_high;
        }
        workgroupBarrier();
    }
    let row = tile.row + local.y;
    let column = tile.column + local.x;
    //each 8: store(group, tile, row + #u * SIDE, column, low#.x);
    //each 8: store(group, tile, row + #u * SIDE, column + SIDE, low#.y);
    //each 8: store(group, tile, row + #u * SIDE, column + 2u * SIDE, low#.z);
    //each 8: store(group, tile, row + #u * SIDE, column + 3u * SIDE, low#.w);
    //each 8: store(group, tile, row + #u * SIDE, column + 4u * SIDE, high#.x);
    //each 8: store(group, tile, row + #u * SIDE, column + 5u * SIDE, high#.y);
    //each 8: store(group, tile, row + #u * SIDE, column + 6u * SIDE, high#.z);
    //each 8: store(group, tile, row + #u * SIDE, column + 7u * SIDE, high#.w);
}
