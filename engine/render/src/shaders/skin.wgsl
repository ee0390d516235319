// Skinning, shared by the vertex stage and the compute pass: one function, so both do the same.

struct Vertex {
    position: vec3f,
    first_influence: u32,
    normal: vec3f,
    influence_count: u32,
    // Linear red and green, blue and alpha, 16 bits each.
    color: vec2u,
    uv: vec2f,
}

struct Influence {
    // Entry of the model's palette.
    entry: u32,
    weight: f32,
}

// A morph target whose weight is not zero, cut to the vertices that it moves.
struct OpenTarget {
    first_delta: u32,
    first_vertex: u32,
    vertex_count: u32,
    weight: f32,
}

// Scalars, because three of them pack tighter than a vector does.
struct Delta {
    px: f32, py: f32, pz: f32,
    nx: f32, ny: f32, nz: f32,
}

struct Skinned {
    position_world: vec3f,
    normal_world: vec3f,
}

@group(0) @binding(3) var<storage, read> open_targets: array<OpenTarget>;
@group(0) @binding(4) var<storage, read> skinned_before: array<Skinned>;
@group(1) @binding(0) var<storage, read> vertices: array<Vertex>;
@group(1) @binding(1) var<storage, read> influences: array<Influence>;
@group(1) @binding(2) var<storage, read> deltas: array<Delta>;

fn skin(index: u32, instance: Instance) -> Skinned {
    let vertex = vertices[index];
    var position = vertex.position;
    var normal = vertex.normal;
    for (var i = 0u; i < instance.open_count; i++) {
        let open = open_targets[instance.first_open + i];
        // Below the first vertex this wraps to a huge number.
        let at = index - open.first_vertex;
        if at < open.vertex_count {
            let delta = deltas[open.first_delta + at];
            position += open.weight * vec3f(delta.px, delta.py, delta.pz);
            normal += open.weight * vec3f(delta.nx, delta.ny, delta.nz);
        }
    }

    var rows = mat3x4f();
    for (var i = 0u; i < vertex.influence_count; i++) {
        let influence = influences[vertex.first_influence + i];
        rows += palette[instance.first_palette + influence.entry] * influence.weight;
    }

    // Cofactors instead of the inverse transpose: the same direction, and no division.
    let x = rows[0].xyz;
    let y = rows[1].xyz;
    let z = rows[2].xyz;
    let mirrored = sign(dot(cross(x, y), z));
    let direction = mirrored
        * vec3f(dot(cross(y, z), normal), dot(cross(z, x), normal), dot(cross(x, y), normal));
    let length_squared = dot(direction, direction);
    var skinned: Skinned;
    skinned.position_world = vec4f(position, 1.0) * rows;
    skinned.normal_world = select(
        vec3f(0.0, 1.0, 0.0),
        direction * inverseSqrt(length_squared),
        length_squared > 0.0,
    );
    return skinned;
}

struct SkinJob {
    // The actors of one model stand next to each other.
    first_instance: u32,
    first_vertex: u32,
    // One past the last vertex.
    end_vertex: u32,
    pad: u32,
}

@group(2) @binding(0) var<uniform> job: SkinJob;
@group(2) @binding(1) var<storage, read_write> skinned_now: array<Skinned>;

@compute @workgroup_size(64)
fn skin_vertices(@builtin(global_invocation_id) id: vec3u) {
    let index = job.first_vertex + id.x;
    if index >= job.end_vertex {
        return;
    }
    let instance = instances[job.first_instance + id.y];
    skinned_now[instance.first_skinned + index] = skin(index, instance);
}
