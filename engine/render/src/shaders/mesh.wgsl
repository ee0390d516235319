// Meshes, skinned and rigid alike: their shadow, and their lit surface.

struct Material {
    base_color: vec4f,
    // Fragments below this alpha are dropped; negative where alpha is ignored.
    alpha_cutoff: f32,
    unlit: u32,
    // Draws the ground grid on this surface, if the frame wants one.
    grid: u32,
    pad: u32,
}

@group(2) @binding(0) var<uniform> material: Material;
@group(2) @binding(1) var base_color_texture: texture_2d<f32>;
@group(2) @binding(2) var base_color_sampler: sampler;
@group(3) @binding(0) var shadow_map: texture_depth_2d;
@group(3) @binding(1) var shadow_sampler: sampler_comparison;

struct Surface {
    @builtin(position) clip: vec4f,
    @location(0) position_world: vec3f,
    @location(1) normal_world: vec3f,
    @location(2) color: vec4f,
    @location(3) uv: vec2f,
}

struct Shade {
    @builtin(position) clip: vec4f,
    @location(0) alpha: f32,
    @location(1) uv: vec2f,
}

fn skinned_vertex(index: u32, instance: Instance) -> Skinned {
    if instance.first_skinned != NOT_AHEAD {
        return skinned_before[instance.first_skinned + index];
    }
    return skin(index, instance);
}

fn vertex_color(index: u32) -> vec4f {
    let packed = vertices[index].color;
    return vec4f(unpack2x16unorm(packed.x), unpack2x16unorm(packed.y));
}

@vertex
fn mesh_vertex(
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) instance_index: u32,
) -> Surface {
    let instance = instances[instance_index];
    let skinned = skinned_vertex(index, instance);
    var surface: Surface;
    surface.clip = frame.view_projection * vec4f(skinned.position_world, 1.0);
    surface.position_world = skinned.position_world;
    surface.normal_world = skinned.normal_world;
    surface.color = vertex_color(index) * instance.tint;
    surface.uv = vertices[index].uv;
    return surface;
}

@vertex
fn shadow_vertex(
    @builtin(vertex_index) index: u32,
    @builtin(instance_index) instance_index: u32,
) -> Shade {
    let instance = instances[instance_index];
    let skinned = skinned_vertex(index, instance);
    var shade: Shade;
    shade.clip = frame.sun_projection * vec4f(skinned.position_world, 1.0);
    shade.alpha = vertex_color(index).a * instance.tint.a;
    shade.uv = vertices[index].uv;
    return shade;
}

@fragment
fn shadow_cutout(shade: Shade) {
    let texel = textureSample(base_color_texture, base_color_sampler, shade.uv);
    if texel.a * material.base_color.a * shade.alpha < material.alpha_cutoff {
        discard;
    }
}

// How much of the sun reaches a point, 0 to 1. The filter is a 4 by 4 grid of bilinear comparisons.
fn sunlight(position_world: vec3f, normal_world: vec3f, facing: f32) -> f32 {
    // Grazing light needs a longer way off the surface; straight light next to none.
    let offset = frame.shadow_texel * (0.7 + 2.6 * sqrt(1.0 - facing * facing));
    let clip = frame.sun_projection * vec4f(position_world + normal_world * offset, 1.0);
    let uv = clip.xy * vec2f(0.5, -0.5) + 0.5;
    let edge = max(abs(clip.x), abs(clip.y));
    if edge >= 1.0 || clip.z >= 1.0 {
        return 1.0;
    }
    let texel = 1.0 / f32(textureDimensions(shadow_map).x);
    var lit = 0.0;
    for (var y = -1.5; y < 2.0; y += 1.0) {
        for (var x = -1.5; x < 2.0; x += 1.0) {
            lit += textureSampleCompareLevel(
                shadow_map,
                shadow_sampler,
                uv + vec2f(x, y) * texel,
                clip.z,
            );
        }
    }
    return mix(lit / 16.0, 1.0, smoothstep(0.85, 1.0, edge));
}

// Lines one metre apart, every fifth stronger, as wide as a pixel or two whatever the distance.
fn grid_strength(position: vec2f, width: vec2f) -> f32 {
    let fine = grid_lines(position, width) * 0.35;
    let coarse = grid_lines(position / 5.0, width / 5.0);
    return max(fine, coarse);
}

fn grid_lines(position: vec2f, width: vec2f) -> f32 {
    let distance = abs(fract(position - 0.5) - 0.5) / max(width, vec2f(1e-6));
    let line = 1.0 - clamp(min(distance.x, distance.y) - 0.4, 0.0, 1.0);
    // Closer together than a few pixels they would shimmer.
    return line * (1.0 - smoothstep(0.1, 0.5, max(width.x, width.y)));
}

// Filmic curve (K. Narkowicz, "ACES Filmic Tone Mapping Curve", 2015).
fn tone_map(color: vec3f) -> vec3f {
    let mapped = color * (2.51 * color + 0.03) / (color * (2.43 * color + 0.59) + 0.14);
    return clamp(mapped, vec3f(0.0), vec3f(1.0));
}

fn lit_color(base: vec3f, position_world: vec3f, normal: vec3f, view: vec3f) -> vec3f {
    let sky_side = normal.y * 0.5 + 0.5;
    let around = mix(frame.ground, mix(frame.horizon, frame.zenith, 0.35), sky_side);
    let facing = max(dot(normal, frame.to_sun_world), 0.0);
    var sun = 0.0;
    if facing > 0.0 {
        sun = facing * sunlight(position_world, normal, facing);
    }
    let half_way = normalize(view + frame.to_sun_world);
    let gloss = pow(max(dot(normal, half_way), 0.0), 28.0) * 0.12 * sun;
    let away = 1.0 - max(dot(normal, view), 0.0);
    let rim = away * away * away * 0.2 * sky_side;
    let diffuse = base * (around * frame.ambient + frame.sun_color * sun);
    return diffuse + frame.sun_color * gloss + around * rim * (0.3 + base);
}

@fragment
fn mesh_fragment(surface: Surface, @builtin(front_facing) front: bool) -> @location(0) vec4f {
    // Derivatives come first, while every fragment is still here.
    let texel = textureSample(base_color_texture, base_color_sampler, surface.uv);
    let width = fwidth(surface.position_world.xz);
    let color = texel * material.base_color * surface.color;
    if color.a < material.alpha_cutoff {
        discard;
    }
    if material.unlit != 0u {
        return vec4f(to_target(color.rgb), 1.0);
    }
    let to_eye = frame.eye_world - surface.position_world;
    let distance = length(to_eye);
    let view = to_eye / max(distance, 1e-6);
    let normal = normalize(select(-surface.normal_world, surface.normal_world, front));
    var base = color.rgb;
    if material.grid != 0u && frame.grid != 0u {
        let strength = grid_strength(surface.position_world.xz, width);
        base = mix(base, base * 0.45 + 0.012, strength * 0.6);
    }
    let lit = tone_map(lit_color(base, surface.position_world, normal, view));
    let haze = 1.0 - exp(-pow(distance * frame.haze, 2.0));
    let horizon_view = normalize(vec3f(-view.x, max(-view.y, 0.0), -view.z) + vec3f(0.0, 1e-4, 0.0));
    return vec4f(to_target(mix(lit, sky(horizon_view), haze)), 1.0);
}
