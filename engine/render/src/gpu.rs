//! The device: found or not, never a panic.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// What can go wrong on the way to a picture.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// No graphics device.
    #[error(
        "no graphics device: {0}. Install a Vulkan or OpenGL driver (in software: the package \
         mesa-vulkan-drivers), or run without a picture"
    )]
    NoAdapter(#[from] wgpu::RequestAdapterError),
    /// A device that cannot skin.
    #[error(
        "the graphics device `{adapter}` lacks {missing}; choose another with WGPU_ADAPTER_NAME or WGPU_BACKEND"
    )]
    Lacking {
        /// Name of the device.
        adapter: String,
        /// What it would need.
        missing: String,
    },
    /// The driver refused to open the device.
    #[error("the graphics device `{adapter}` does not open: {source}")]
    Device {
        /// Name of the device.
        adapter: String,
        /// The driver's reason.
        source: wgpu::RequestDeviceError,
    },
    /// A model that does not fit.
    #[error("the model needs {bytes} bytes for its {what}, the graphics device takes {most}")]
    TooLarge {
        /// Which part.
        what: &'static str,
        /// Its size.
        bytes: u64,
        /// The device's limit.
        most: u64,
    },
    /// A picture of a size that the device cannot make.
    #[error("a picture of {width} x {height} pixels: each side must lie between 1 and {most}")]
    PictureSize {
        /// Asked for.
        width: u32,
        /// Asked for.
        height: u32,
        /// The device's limit.
        most: u32,
    },
    /// The picture could not be read back.
    #[error("the picture could not be read back: {0}")]
    ReadBack(String),
}

/// A graphics device and its queue.
#[derive(Debug)]
pub struct Gpu {
    /// Where surfaces come from.
    pub instance: wgpu::Instance,
    /// The device's description and limits.
    pub adapter: wgpu::Adapter,
    /// Makes buffers, textures and pipelines.
    pub device: wgpu::Device,
    /// Takes commands.
    pub queue: wgpu::Queue,
    /// Errors so far that the GPU reported outside any error scope. Each is in the log; 0 in a sound
    /// program.
    pub errors: Arc<AtomicUsize>,
}

/// Storage buffers that the vertex stage and the compute pass read or write.
const STORAGE_BUFFERS: u32 = 8;

impl Gpu {
    /// Opens the best device that can draw to `surface`, or any one without a surface. The
    /// environment variables WGPU_BACKEND and WGPU_ADAPTER_NAME narrow the choice if `instance` was made
    /// to heed them.
    ///
    /// # Errors
    /// [`RenderError::NoAdapter`], [`RenderError::Lacking`], [`RenderError::Device`].
    pub fn new(
        instance: wgpu::Instance,
        surface: Option<&wgpu::Surface<'_>>,
    ) -> Result<Self, RenderError> {
        let options = wgpu::RequestAdapterOptions {
            compatible_surface: surface,
            power_preference: wgpu::PowerPreference::HighPerformance,
            ..Default::default()
        };
        let adapter = pollster::block_on(instance.request_adapter(&options))?;
        let info = adapter.get_info();
        if let Some(missing) = missing(&adapter) {
            return Err(RenderError::Lacking {
                adapter: info.name,
                missing,
            });
        }
        let request = wgpu::DeviceDescriptor {
            label: Some("sinew"),
            required_limits: limits(&adapter.limits()),
            ..Default::default()
        };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&request)).map_err(|source| {
                RenderError::Device {
                    adapter: info.name.clone(),
                    source,
                }
            })?;
        let errors = report_errors(&device);
        tracing::info!(adapter = info.name, backend = %info.backend, "graphics device");
        Ok(Self {
            instance,
            adapter,
            device,
            queue,
            errors,
        })
    }

    /// Opens a device for pictures in memory; software will do. Heeds WGPU_BACKEND.
    ///
    /// # Errors
    /// As [`Gpu::new`].
    pub fn offscreen() -> Result<Self, RenderError> {
        let descriptor = wgpu::InstanceDescriptor::new_without_display_handle_from_env();
        Self::new(wgpu::Instance::new(descriptor), None)
    }
}

/// What the adapter would need besides; `None` for one that will do.
fn missing(adapter: &wgpu::Adapter) -> Option<String> {
    let needed = wgpu::DownlevelFlags::COMPUTE_SHADERS | wgpu::DownlevelFlags::VERTEX_STORAGE;
    let lacking = needed - adapter.get_downlevel_capabilities().flags;
    if !lacking.is_empty() {
        return Some(format!("{lacking:?}"));
    }
    let buffers = adapter.limits().max_storage_buffers_per_shader_stage;
    (buffers < STORAGE_BUFFERS)
        .then(|| format!("{STORAGE_BUFFERS} storage buffers a stage (it has {buffers})"))
}

/// As little as any desktop device has, but for sizes, which are the adapter's own.
fn limits(adapter: &wgpu::Limits) -> wgpu::Limits {
    wgpu::Limits {
        max_storage_buffers_per_shader_stage: STORAGE_BUFFERS,
        max_storage_buffer_binding_size: adapter.max_storage_buffer_binding_size,
        max_buffer_size: adapter.max_buffer_size,
        ..wgpu::Limits::downlevel_defaults().using_resolution(adapter.clone())
    }
}

/// Counts and logs errors instead of wgpu's own answer, which is to abort.
fn report_errors(device: &wgpu::Device) -> Arc<AtomicUsize> {
    let errors = Arc::new(AtomicUsize::new(0));
    let counter = errors.clone();
    device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
        // A fault that repeats each frame would fill the log.
        if counter.fetch_add(1, Ordering::Relaxed) < 20 {
            tracing::error!("graphics: {error}");
        }
    }));
    device.set_device_lost_callback(|reason, message| {
        if reason != wgpu::DeviceLostReason::Destroyed {
            tracing::error!("the graphics device was lost: {message}");
        }
    });
    errors
}
