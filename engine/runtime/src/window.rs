//! The window: devices in, pictures out, steps as long as the time between them.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use glam::Vec2;
use sinew_render::{FrameStats, Gpu, wgpu};
use sinew_world::Input;
use winit::{
    application::ApplicationHandler,
    dpi::{PhysicalPosition, PhysicalSize},
    error::EventLoopError,
    event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent},
    event_loop::{ActiveEventLoop, ControlFlow, EventLoop},
    keyboard::{KeyCode, PhysicalKey},
    window::{Window, WindowId},
};

use crate::{
    clock, input::Keyboard, picture::Painter, replay::Replay, run::Outputs, session::Session,
};

/// The longest step, however long a frame took: a game that stood still goes on where it was.
const LONGEST_STEP: f32 = 0.1;
/// The shortest time between frames, for displays that do not wait for their picture.
const SHORTEST_FRAME: Duration = Duration::from_millis(4);
/// Between steps while there is nothing to draw to.
const HIDDEN_FRAME: Duration = Duration::from_millis(16);
/// A display that lets us draw nothing for so long shows the window to nobody, whatever it says.
const IGNORED: Duration = Duration::from_millis(150);
/// Radians a pixel of mouse movement.
const ORBIT: f32 = 0.005;
/// Powers of two a line of the wheel.
const ZOOM: f32 = 0.15;
/// Frames in a row without a picture, for no known reason, after which the window gives up.
const MOST_FAILURES: u32 = 100;

/// How a window ended.
pub enum Closed {
    /// It was there; here is what it ran.
    ByUser(Box<Session>, Outputs),
    /// It could not be opened, for this reason; nothing ran.
    NoDisplay(String, Box<Session>, Outputs),
}

/// Opens a window on a session and runs it until it is closed, or for `frames` steps.
///
/// # Errors
/// The trace cannot be written, or the graphics device stopped working.
pub fn run(
    session: Session,
    outputs: Outputs,
    size: [u32; 2],
    frames: Option<u64>,
) -> anyhow::Result<Closed> {
    let event_loop = match EventLoop::new() {
        Ok(event_loop) => event_loop,
        Err(error) => return Ok(Closed::NoDisplay(short(&error), Box::new(session), outputs)),
    };
    let mut app = App {
        session,
        outputs,
        size,
        frames,
        view: None,
        keyboard: Keyboard::default(),
        input: Input::default(),
        drag: Drag::default(),
        last: clock::now(),
        figures: Figures::default(),
        behind: 0.0,
        occluded: false,
        asked: None,
        failures: 0,
        ended: None,
    };
    let ran = event_loop.run_app(&mut app);
    drop(app.view);
    let session = Box::new(app.session);
    match (app.ended, ran) {
        (Some(End::NoDisplay(reason)), _) => Ok(Closed::NoDisplay(reason, session, app.outputs)),
        (Some(End::Broken(error)), _) => Err(error),
        (None, Err(error)) => Err(error.into()),
        (None, Ok(())) => Ok(Closed::ByUser(session, app.outputs)),
    }
}

/// The reason alone: the library puts the place in its own source in front of it.
fn short(error: &EventLoopError) -> String {
    let text = error.to_string();
    let reason = text
        .split_once(".rs:")
        .and_then(|(_, rest)| rest.split_once(": "))
        .map_or(text.as_str(), |(_, reason)| reason);
    reason
        .lines()
        .next()
        .unwrap_or_default()
        .trim_end_matches('.')
        .to_owned()
}

struct App {
    session: Session,
    outputs: Outputs,
    size: [u32; 2],
    frames: Option<u64>,
    view: Option<View>,
    keyboard: Keyboard,
    input: Input,
    drag: Drag,
    last: Instant,
    figures: Figures,
    /// Seconds that a replay has not made up yet.
    behind: f32,
    occluded: bool,
    /// When a picture was asked for that the display has not yet let us draw.
    asked: Option<Instant>,
    failures: u32,
    ended: Option<End>,
}

enum End {
    NoDisplay(String),
    Broken(anyhow::Error),
}

/// A window and what draws to it.
struct View {
    painter: Painter,
    surface: wgpu::Surface<'static>,
    config: wgpu::SurfaceConfiguration,
    gpu: Gpu,
    window: Arc<Window>,
}

/// The mouse while a button turns the camera.
#[derive(Default)]
struct Drag {
    held: bool,
    at: Option<PhysicalPosition<f64>>,
}

impl ApplicationHandler for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.view.is_some() {
            return;
        }
        let title = format!("Sinew — {}", self.session.title());
        match View::open(event_loop, &title, self.size) {
            Ok(view) => {
                self.view = Some(view);
                self.last = clock::now();
            }
            Err(error) => self.end(event_loop, End::NoDisplay(format!("{error:#}"))),
        }
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        match event {
            WindowEvent::CloseRequested | WindowEvent::Destroyed => event_loop.exit(),
            WindowEvent::Resized(size) => {
                if let Some(view) = &mut self.view {
                    view.resize(size);
                }
            }
            WindowEvent::Occluded(occluded) => self.occluded = occluded,
            WindowEvent::Focused(false) => {
                self.keyboard.release_all();
                self.drag = Drag::default();
            }
            WindowEvent::KeyboardInput { event, .. } => {
                if let PhysicalKey::Code(code) = event.physical_key
                    && !event.repeat
                {
                    self.key(event_loop, code, event.state == ElementState::Pressed);
                }
            }
            WindowEvent::MouseInput { state, button, .. } => {
                if matches!(button, MouseButton::Left | MouseButton::Right) {
                    self.drag.held = state == ElementState::Pressed;
                }
            }
            WindowEvent::CursorMoved { position, .. } => self.drag(position),
            WindowEvent::MouseWheel { delta, .. } => {
                self.input.zoom -= match delta {
                    MouseScrollDelta::LineDelta(_, lines) => lines * ZOOM,
                    MouseScrollDelta::PixelDelta(pixels) => pixels.y as f32 * ZOOM / 40.0,
                };
            }
            WindowEvent::RedrawRequested => {
                self.asked = None;
                self.step(event_loop);
                self.draw(event_loop);
            }
            _ => {}
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        let hidden = self.occluded || self.view.as_ref().is_none_or(View::is_hidden);
        let due = self.last + if hidden { HIDDEN_FRAME } else { SHORTEST_FRAME };
        let now = clock::now();
        if now < due {
            return event_loop.set_control_flow(ControlFlow::WaitUntil(due));
        }
        let ignored = self.asked.is_some_and(|asked| now - asked > IGNORED);
        match &self.view {
            Some(view) if !hidden && !ignored => {
                view.window.request_redraw();
                self.asked.get_or_insert(now);
            }
            // Time and files go on while nobody looks.
            _ => self.step(event_loop),
        }
        event_loop.set_control_flow(ControlFlow::WaitUntil(clock::now() + HIDDEN_FRAME));
    }
}

impl App {
    fn end(&mut self, event_loop: &ActiveEventLoop, end: End) {
        self.ended.get_or_insert(end);
        event_loop.exit();
    }

    fn key(&mut self, event_loop: &ActiveEventLoop, code: KeyCode, down: bool) {
        match code {
            KeyCode::Escape if down => event_loop.exit(),
            KeyCode::F1 if down => self.figures.shown = !self.figures.shown,
            _ => self.keyboard.key(code, down),
        }
    }

    fn drag(&mut self, to: PhysicalPosition<f64>) {
        if let Some(from) = self.drag.at.replace(to)
            && self.drag.held
        {
            let moved = Vec2::new((to.x - from.x) as f32, (to.y - from.y) as f32);
            self.input.orbit += Vec2::new(-moved.x, moved.y) * ORBIT;
        }
    }

    fn step(&mut self, event_loop: &ActiveEventLoop) {
        if event_loop.exiting() {
            return;
        }
        let now = clock::now();
        let dt = (now - self.last).as_secs_f32();
        self.last = now;
        self.figures.frame(dt);
        let dt = dt.min(LONGEST_STEP);
        if self.outputs.replay.is_some() {
            self.replay_for(event_loop, dt);
        } else {
            let world = &self.session.world;
            self.keyboard
                .add_to(&mut self.input, &world.level.actions, &world.controls);
            self.step_of(event_loop, dt);
        }
        self.figures.step = (clock::now() - now).as_secs_f32();
        self.input = Input::default();
    }

    /// The recorded steps of so much time.
    fn replay_for(&mut self, event_loop: &ActiveEventLoop, dt: f32) {
        self.behind += dt;
        while !event_loop.exiting() {
            let next = self.outputs.replay.as_ref().and_then(Replay::next_dt);
            match next {
                Some(next) if next > self.behind => return,
                Some(next) => self.behind -= next,
                None => return event_loop.exit(),
            }
            self.step_of(event_loop, next.unwrap_or_default());
        }
    }

    fn step_of(&mut self, event_loop: &ActiveEventLoop, dt: f32) {
        let before = self.outputs.before_step(&self.session, &mut self.input, dt);
        let Some(dt) = before else {
            return event_loop.exit();
        };
        self.session.step(&self.input, dt);
        if let Err(error) = self.outputs.after_step(&mut self.session, &self.input, dt) {
            self.end(event_loop, End::Broken(error));
        }
        if self
            .frames
            .is_some_and(|frames| self.session.world.clock.frame >= frames)
        {
            event_loop.exit();
        }
    }

    fn draw(&mut self, event_loop: &ActiveEventLoop) {
        let Some(view) = &mut self.view else {
            return;
        };
        if view.is_hidden() {
            return;
        }
        let start = clock::now();
        let stats = self.figures.line(&self.session);
        match view.draw(&self.session, stats.as_deref()) {
            Ok(Some(drawn)) => {
                self.figures.drawn = drawn;
                self.failures = 0;
            }
            Ok(None) => {
                self.failures += 1;
                if self.failures >= MOST_FAILURES {
                    let error = anyhow::anyhow!(
                        "the window gets no more pictures from the graphics device"
                    );
                    self.end(event_loop, End::Broken(error));
                }
            }
            Err(error) => self.end(event_loop, End::Broken(error)),
        }
        self.figures.draw = (clock::now() - start).as_secs_f32();
    }
}

impl View {
    fn open(
        event_loop: &ActiveEventLoop,
        title: &str,
        [width, height]: [u32; 2],
    ) -> anyhow::Result<Self> {
        let attributes = Window::default_attributes()
            .with_title(title)
            .with_inner_size(PhysicalSize::new(width, height));
        let window = Arc::new(event_loop.create_window(attributes)?);
        let display = Box::new(event_loop.owned_display_handle());
        let descriptor = wgpu::InstanceDescriptor::new_with_display_handle_from_env(display);
        let instance = wgpu::Instance::new(descriptor);
        let surface = instance.create_surface(window.clone())?;
        let gpu = Gpu::new(instance, Some(&surface))?;
        let size = window.inner_size();
        let mut config = surface
            .get_default_config(&gpu.adapter, size.width.max(1), size.height.max(1))
            .ok_or_else(|| anyhow::anyhow!("the graphics device cannot draw to this display"))?;
        let formats = surface.get_capabilities(&gpu.adapter).formats;
        config.format = formats
            .iter()
            .copied()
            .find(wgpu::TextureFormat::is_srgb)
            .unwrap_or(config.format);
        config.present_mode = wgpu::PresentMode::AutoVsync;
        surface.configure(&gpu.device, &config);
        let painter = Painter::new(&gpu, config.format)?;
        Ok(Self {
            painter,
            surface,
            config,
            gpu,
            window,
        })
    }

    /// Minimised: there is nothing to draw to.
    fn is_hidden(&self) -> bool {
        let size = self.window.inner_size();
        size.width == 0 || size.height == 0 || self.window.is_minimized() == Some(true)
    }

    fn resize(&mut self, size: PhysicalSize<u32>) {
        if size.width > 0 && size.height > 0 {
            let most = self.gpu.device.limits().max_texture_dimension_2d;
            (self.config.width, self.config.height) = (size.width.min(most), size.height.min(most));
            self.surface.configure(&self.gpu.device, &self.config);
        }
    }

    /// `None` where the display had no picture to draw to this time.
    fn draw(
        &mut self,
        session: &Session,
        stats: Option<&str>,
    ) -> anyhow::Result<Option<FrameStats>> {
        use wgpu::CurrentSurfaceTexture as Current;
        let (frame, suboptimal) = match self.surface.get_current_texture() {
            Current::Success(frame) => (frame, false),
            Current::Suboptimal(frame) => (frame, true),
            Current::Timeout | Current::Occluded => return Ok(None),
            Current::Outdated | Current::Validation => {
                self.surface.configure(&self.gpu.device, &self.config);
                return Ok(None);
            }
            Current::Lost => {
                self.surface = self.gpu.instance.create_surface(self.window.clone())?;
                self.surface.configure(&self.gpu.device, &self.config);
                return Ok(None);
            }
        };
        let target = frame.texture.create_view(&Default::default());
        let size = [frame.texture.width(), frame.texture.height()];
        let scale = self.window.scale_factor() as f32;
        let drawn = self
            .painter
            .draw(&self.gpu, &target, size, scale, session, stats);
        self.window.pre_present_notify();
        self.gpu.queue.present(frame);
        if suboptimal {
            self.surface.configure(&self.gpu.device, &self.config);
        }
        Ok(Some(drawn))
    }
}

/// Figures of the last frames.
struct Figures {
    shown: bool,
    /// Seconds between frames, smoothed.
    between: f32,
    step: f32,
    draw: f32,
    drawn: FrameStats,
}

impl Default for Figures {
    fn default() -> Self {
        Self {
            shown: true,
            between: 0.0,
            step: 0.0,
            draw: 0.0,
            drawn: FrameStats::default(),
        }
    }
}

impl Figures {
    fn frame(&mut self, dt: f32) {
        self.between = if self.between == 0.0 {
            dt
        } else {
            self.between * 0.95 + dt * 0.05
        };
    }

    fn line(&self, session: &Session) -> Option<String> {
        let actors = session.world.actors.iter().count();
        self.shown.then(|| {
            format!(
                "{:.0} fps  frame {:.1} ms  step {:.2} ms  draw {:.1} ms\n{actors} actors  {} draws  {} triangles   F1",
                1.0 / self.between.max(1e-4),
                self.between * 1e3,
                self.step * 1e3,
                self.draw * 1e3,
                self.drawn.draw_calls,
                self.drawn.triangles,
            )
        })
    }
}
