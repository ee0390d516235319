//! Words over the picture: what is wrong, what scripts say, what is heard, how fast it runs.

use std::sync::Arc;

use egui::{
    Align2, Color32, FontFamily, FontId, Galley, Painter, Pos2, Rect, Vec2 as EguiVec2, pos2,
    text::{LayoutJob, TextFormat},
    vec2,
};
use glam::Vec3;
use sinew_assets::Severity;
use sinew_render::{Camera, Gpu, wgpu};

use crate::session::Session;

const MARGIN: f32 = 12.0;
const PAD: f32 = 8.0;
const PANEL: Color32 = Color32::from_rgba_premultiplied(12, 14, 18, 240);
const TEXT: Color32 = Color32::from_rgb(235, 238, 242);
const ERROR: Color32 = Color32::from_rgb(255, 138, 122);
const WARNING: Color32 = Color32::from_rgb(255, 212, 120);
const QUIET: Color32 = Color32::from_rgb(176, 184, 194);

/// What is written over one picture.
#[derive(Debug, Default)]
pub struct Words<'a> {
    stats: Option<&'a str>,
    /// Errors and warnings, with how often each was said.
    faults: Vec<(Severity, &'a str, u64)>,
    /// Lines of scripts.
    lines: Vec<&'a str>,
    /// What is heard.
    captions: Vec<&'a str>,
    /// Words at places of the level, in points of the picture.
    placed: Vec<(Pos2, &'a str, Color32)>,
}

impl<'a> Words<'a> {
    /// The words of a session's present moment.
    pub fn of(
        session: &'a Session,
        camera: &Camera,
        size: [u32; 2],
        scale: f32,
        stats: Option<&'a str>,
    ) -> Self {
        let points = vec2(size[0] as f32, size[1] as f32) / scale;
        let debug = &session.world.debug;
        let placed = debug.texts.iter().filter_map(|text| {
            let at = project(camera, text.at_world, points)?;
            Some((at, text.text.as_str(), color(text.color)))
        });
        Self {
            stats,
            faults: session
                .console
                .entries
                .iter()
                .map(|entry| (entry.fault.severity, entry.rendered.trim_end(), entry.count))
                .collect(),
            lines: debug.screen.values().map(String::as_str).collect(),
            captions: session
                .captions
                .iter()
                .map(|caption| caption.text.as_str())
                .collect(),
            placed: placed.collect(),
        }
    }

    fn is_empty(&self) -> bool {
        self.stats.is_none()
            && self.faults.is_empty()
            && self.lines.is_empty()
            && self.captions.is_empty()
            && self.placed.is_empty()
    }
}

/// Writes words over pictures of one format.
pub struct Overlay {
    context: egui::Context,
    renderer: egui_wgpu::Renderer,
}

impl Overlay {
    /// For targets of this format.
    pub fn new(gpu: &Gpu, format: wgpu::TextureFormat) -> Self {
        let context = egui::Context::default();
        context.options_mut(|options| options.zoom_with_keyboard = false);
        Self {
            context,
            renderer: egui_wgpu::Renderer::new(
                &gpu.device,
                format,
                egui_wgpu::RendererOptions::PREDICTABLE,
            ),
        }
    }

    /// Writes over a finished picture and submits its own commands.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        view: &wgpu::TextureView,
        size: [u32; 2],
        scale: f32,
        words: &Words<'_>,
    ) {
        if words.is_empty() || size.contains(&0) {
            return;
        }
        let screen = Rect::from_min_size(Pos2::ZERO, vec2(size[0] as f32, size[1] as f32) / scale);
        let mut input = egui::RawInput {
            screen_rect: Some(screen),
            max_texture_side: Some(gpu.device.limits().max_texture_dimension_2d as usize),
            ..Default::default()
        };
        input
            .viewports
            .entry(egui::ViewportId::ROOT)
            .or_default()
            .native_pixels_per_point = Some(scale);
        self.context.begin_pass(input);
        let layer = egui::LayerId::new(egui::Order::Foreground, egui::Id::unique("words"));
        write(&self.context.layer_painter(layer), screen, words);
        let output = self.context.end_pass();
        self.paint(gpu, view, size, output);
    }

    fn paint(
        &mut self,
        gpu: &Gpu,
        view: &wgpu::TextureView,
        size: [u32; 2],
        mut output: egui::FullOutput,
    ) {
        let screen = egui_wgpu::ScreenDescriptor {
            size_in_pixels: size,
            pixels_per_point: output.pixels_per_point,
        };
        for (id, deltas) in &output.textures_delta.set {
            for delta in deltas {
                self.renderer
                    .update_texture(&gpu.device, &gpu.queue, *id, delta);
            }
        }
        let triangles = self
            .context
            .tessellate(output.shapes, output.pixels_per_point);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let before = self.renderer.update_buffers(
            &gpu.device,
            &gpu.queue,
            &mut encoder,
            &triangles,
            &screen,
        );
        let target = wgpu::RenderPassColorAttachment {
            view,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations {
                load: wgpu::LoadOp::Load,
                store: wgpu::StoreOp::Store,
            },
        };
        let pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("words"),
            color_attachments: &[Some(target)],
            ..Default::default()
        });
        self.renderer
            .render(&mut pass.forget_lifetime(), &triangles, &screen);
        gpu.queue
            .submit(before.into_iter().chain([encoder.finish()]));
        for id in &output.textures_delta.free {
            self.renderer.free_texture(id);
        }
        output.textures_delta.clear();
    }
}

fn write(painter: &Painter, screen: Rect, words: &Words<'_>) {
    for (at, text, color) in &words.placed {
        let galley = painter.layout_no_wrap((*text).to_owned(), proportional(14.0), *color);
        let corner = *at - vec2(galley.size().x * 0.5, galley.size().y);
        panel(painter, corner, galley, 3.0);
    }
    let inner = screen.shrink(MARGIN);
    if let Some(stats) = words.stats {
        put(
            painter,
            inner.right_top(),
            Align2::RIGHT_TOP,
            stats,
            monospace(12.0),
            QUIET,
            inner.width(),
        );
    }
    if !words.lines.is_empty() {
        let text = words.lines.join("\n");
        put(
            painter,
            inner.left_top(),
            Align2::LEFT_TOP,
            &text,
            proportional(16.0),
            TEXT,
            inner.width() * 0.6,
        );
    }
    let captions = words
        .captions
        .iter()
        .map(|caption| format!("[{caption}]"))
        .collect::<Vec<_>>()
        .join("\n");
    if !captions.is_empty() {
        put(
            painter,
            inner.right_bottom(),
            Align2::RIGHT_BOTTOM,
            &captions,
            proportional(14.0),
            QUIET,
            inner.width(),
        );
    }
    write_faults(painter, inner, &words.faults);
}

/// From the bottom up, the latest lowest, as many as fit in the lower part.
fn write_faults(painter: &Painter, inner: Rect, faults: &[(Severity, &str, u64)]) {
    let mut bottom = inner.bottom();
    let top = inner.top() + inner.height() * 0.3;
    for (index, &fault) in faults.iter().enumerate().rev() {
        let galley = painter.layout_job(fault_text(fault, inner.width() - 2.0 * PAD));
        let height = galley.size().y + 2.0 * PAD;
        if bottom - height < top && bottom < inner.bottom() {
            let more = format!("and {} more", index + 1);
            let at = pos2(inner.left(), bottom);
            let font = monospace(12.0);
            put(
                painter,
                at,
                Align2::LEFT_BOTTOM,
                &more,
                font,
                QUIET,
                inner.width(),
            );
            return;
        }
        let corner = pos2(inner.left() + PAD, bottom - height + PAD);
        panel(painter, corner, galley, PAD);
        bottom -= height + 4.0;
    }
}

/// The first line says what it is, in its colour and with how often it came.
fn fault_text((severity, text, count): (Severity, &str, u64), width: f32) -> LayoutJob {
    let color = match severity {
        Severity::Error => ERROR,
        Severity::Warning => WARNING,
    };
    let (title, rest) = text.split_once('\n').unwrap_or((text, ""));
    let times = if count > 1 {
        format!("  ({count} times)")
    } else {
        String::new()
    };
    let mut job = LayoutJob::default();
    job.wrap.max_width = width;
    job.append(
        &format!("{title}{times}"),
        0.0,
        TextFormat::simple(monospace(13.0), color),
    );
    if !rest.is_empty() {
        job.append(
            &format!("\n{rest}"),
            0.0,
            TextFormat::simple(monospace(13.0), TEXT),
        );
    }
    job
}

fn put(
    painter: &Painter,
    at: Pos2,
    anchor: Align2,
    text: &str,
    font: FontId,
    color: Color32,
    width: f32,
) {
    let galley = painter.layout(text.to_owned(), font, color, width - 2.0 * PAD);
    let box_size = galley.size() + EguiVec2::splat(2.0 * PAD);
    let corner = anchor.anchor_size(at, box_size).min;
    panel(painter, corner + EguiVec2::splat(PAD), galley, PAD);
}

/// Text on a dark panel that is `pad` wider on each side.
fn panel(painter: &Painter, corner: Pos2, galley: Arc<Galley>, pad: f32) {
    painter.rect_filled(
        Rect::from_min_size(corner, galley.size()).expand(pad),
        4.0,
        PANEL,
    );
    painter.galley(corner, galley, TEXT);
}

fn monospace(size: f32) -> FontId {
    FontId::new(size, FontFamily::Monospace)
}

fn proportional(size: f32) -> FontId {
    FontId::new(size, FontFamily::Proportional)
}

fn color([red, green, blue, alpha]: [f32; 4]) -> Color32 {
    egui::Rgba::from_rgba_unmultiplied(red, green, blue, alpha).into()
}

/// Where a place of the level is in the picture, in points; `None` behind the eye and far outside.
fn project(camera: &Camera, at_world: Vec3, size: EguiVec2) -> Option<Pos2> {
    let forward = (camera.target_world - camera.eye_world).normalize_or(Vec3::NEG_Z);
    let right = forward.cross(Vec3::Y).normalize_or(Vec3::X);
    let up = right.cross(forward);
    let offset = at_world - camera.eye_world;
    let depth = offset.dot(forward);
    if depth < camera.near {
        return None;
    }
    let height = depth * (camera.fov_y * 0.5).tan();
    let (x, y) = (
        offset.dot(right) / height * size.y / size.x,
        offset.dot(up) / height,
    );
    (x.abs() < 1.5 && y.abs() < 1.5)
        .then(|| pos2((x + 1.0) * 0.5 * size.x, (1.0 - y) * 0.5 * size.y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_target_of_the_camera_is_in_the_middle_and_up_is_up() {
        let camera = Camera::default();
        let size = vec2(800.0, 600.0);
        let middle = project(&camera, camera.target_world, size).expect("in front");
        assert!((middle - pos2(400.0, 300.0)).length() < 0.01);
        let above = project(&camera, camera.target_world + Vec3::Y * 0.2, size).expect("in front");
        assert!(above.y < middle.y && (above.x - middle.x).abs() < 0.01);
        let behind = camera.eye_world * 2.0 - camera.target_world;
        assert!(project(&camera, behind, size).is_none());
    }
}
