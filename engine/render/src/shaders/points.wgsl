// Each vertex as a point of its own pixel, so that what the vertex stage skins can be read back.
// The bits of floats in integers, since not every device draws into 32-bit floats.

struct Point {
    @builtin(position) clip: vec4f,
    @location(0) @interpolate(flat) position_world: vec3f,
    @location(1) @interpolate(flat) normal_world: vec3f,
}

struct PointColors {
    @location(0) position_world: vec4u,
    @location(1) normal_world: vec4u,
}

@vertex
fn point_vertex(
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) instance_index: u32,
) -> Point {
    let instance = instances[instance_index];
    let skinned = skin(index, instance);
    let place = instance.first_skinned + index;
    let row = u32(frame.viewport.x);
    let pixel = vec2f(f32(place % row), f32(place / row)) + 0.5;
    var point: Point;
    point.clip = vec4f((pixel / frame.viewport * 2.0 - 1.0) * vec2f(1.0, -1.0), 0.5, 1.0);
    point.position_world = skinned.position_world;
    point.normal_world = skinned.normal_world;
    return point;
}

@fragment
fn point_fragment(point: Point) -> PointColors {
    var colors: PointColors;
    colors.position_world = vec4u(bitcast<vec3u>(point.position_world), 0u);
    colors.normal_world = vec4u(bitcast<vec3u>(point.normal_world), 0u);
    return colors;
}
