// Debug lines: a rectangle each, some pixels wide at any distance.

struct LineEnds {
    @location(0) from_world: vec3f,
    @location(1) to_world: vec3f,
    @location(2) color: vec4f,
}

struct LinePoint {
    @builtin(position) clip: vec4f,
    @location(0) color: vec4f,
}

// The part of a segment before the near plane, where dividing by w would turn it inside out.
fn clipped(end: vec4f, other: vec4f) -> vec4f {
    if end.z >= 0.0 {
        return end;
    }
    let span = other.z - end.z;
    return select(end, mix(end, other, -end.z / span), span > 0.0);
}

@vertex
fn line_vertex(@builtin(vertex_index) index: u32, ends: LineEnds) -> LinePoint {
    let from_end = frame.view_projection * vec4f(ends.from_world, 1.0);
    let to_end = frame.view_projection * vec4f(ends.to_world, 1.0);
    var point: LinePoint;
    point.color = ends.color;
    if from_end.z < 0.0 && to_end.z < 0.0 {
        point.clip = vec4f(2.0, 2.0, 2.0, 1.0);
        return point;
    }
    let a = clipped(from_end, to_end);
    let b = clipped(to_end, from_end);
    let pixels = (b.xy / b.w - a.xy / a.w) * frame.viewport * 0.5;
    let length_pixels = length(pixels);
    let along = select(vec2f(1.0, 0.0), pixels / length_pixels, length_pixels > 1e-6);
    let at_end = (index & 1u) == 1u;
    let side = select(-1.0, 1.0, index >= 2u);
    // Half a width beyond each end, so that corners of a polyline close.
    let reach = along * select(-1.0, 1.0, at_end) + vec2f(-along.y, along.x) * side;
    let end = select(a, b, at_end);
    let offset = reach * frame.line_width / frame.viewport * end.w;
    point.clip = vec4f(end.xy + offset, end.zw);
    return point;
}

@fragment
fn line_fragment(point: LinePoint) -> @location(0) vec4f {
    return vec4f(to_target(point.color.rgb), point.color.a);
}

// Where something stands before a line, a trace of it still shows.
@fragment
fn line_hidden_fragment(point: LinePoint) -> @location(0) vec4f {
    return vec4f(to_target(point.color.rgb), point.color.a * 0.18);
}
