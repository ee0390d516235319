// What every stage of a frame reads. Mirrors `frame.rs`.

struct Frame {
    view_projection: mat4x4f,
    direction_of_clip: mat4x4f,
    sun_projection: mat4x4f,
    eye_world: vec3f,
    // 1 where the target stores linear values and the shader has to encode them itself.
    encode_srgb: u32,
    to_sun_world: vec3f,
    // Metres that a texel of the shadow map covers.
    shadow_texel: f32,
    sun_color: vec3f,
    pad0: f32,
    zenith: vec3f,
    ambient: f32,
    horizon: vec3f,
    haze: f32,
    ground: vec3f,
    grid: u32,
    viewport: vec2f,
    line_width: f32,
    pad1: f32,
}

// One actor, or one shape, in one draw call.
struct Instance {
    first_palette: u32,
    first_open: u32,
    open_count: u32,
    // Where the actor's first vertex is in `skinned_before`; NOT_AHEAD where the vertex stage skins it.
    first_skinned: u32,
    tint: vec4f,
}

const NOT_AHEAD = 0xffffffffu;

@group(0) @binding(0) var<uniform> frame: Frame;
// Three rows a joint: the world transform that takes a rest vertex along with the joint.
@group(0) @binding(1) var<storage, read> palette: array<mat3x4f>;
@group(0) @binding(2) var<storage, read> instances: array<Instance>;

fn to_target(linear: vec3f) -> vec3f {
    if frame.encode_srgb == 0u {
        return linear;
    }
    let color = clamp(linear, vec3f(0.0), vec3f(1.0));
    return select(
        1.055 * pow(color, vec3f(1.0 / 2.4)) - 0.055,
        12.92 * color,
        color <= vec3f(0.0031308),
    );
}

// The colour of the sky in a direction; also what distant things fade to.
fn sky(direction_world: vec3f) -> vec3f {
    let height = direction_world.y;
    let up = mix(frame.horizon, frame.zenith, pow(clamp(height, 0.0, 1.0), 0.5));
    let down = mix(frame.horizon, frame.ground, smoothstep(0.0, 0.35, -height));
    let glow = pow(max(dot(direction_world, frame.to_sun_world), 0.0), 48.0);
    return select(down, up, height >= 0.0) + frame.sun_color * glow * 0.06;
}
