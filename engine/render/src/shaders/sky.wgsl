// The sky: one triangle behind everything.

struct SkyPoint {
    @builtin(position) clip: vec4f,
    @location(0) direction_world: vec3f,
}

@vertex
fn sky_vertex(@builtin(vertex_index) index: u32) -> SkyPoint {
    let corner = vec2f(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    var point: SkyPoint;
    point.clip = vec4f(corner, 1.0, 1.0);
    // Before it is divided by w, a point of the far plane is linear over the screen.
    point.direction_world = (frame.direction_of_clip * vec4f(corner, 1.0, 1.0)).xyz;
    return point;
}

@fragment
fn sky_fragment(point: SkyPoint) -> @location(0) vec4f {
    return vec4f(to_target(clamp(sky(normalize(point.direction_world)), vec3f(0.0), vec3f(1.0))), 1.0);
}
