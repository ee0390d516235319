//! A picture in memory instead of a window.

use crate::{FrameStats, Gpu, RenderError, Renderer, Scene, renderer::encoder, targets::texture};

/// The format that suits pictures in memory.
pub const OFFSCREEN_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

/// Draws over a finished picture before it is read back: gets the device and the picture, and submits
/// its own commands.
pub type Overlay<'a> = &'a mut dyn FnMut(&Gpu, &wgpu::TextureView);

/// What [`capture`] gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// sRGB colour and alpha (255), row by row from the top, four bytes a pixel.
    pub rgba: Vec<u8>,
    /// What the frame took.
    pub stats: FrameStats,
}

/// Draws `scene` and waits for the pixels. The renderer's target format must have four channels of 8 bits.
///
/// # Errors
/// [`RenderError::PictureSize`], [`RenderError::ReadBack`].
pub fn capture(
    gpu: &Gpu,
    renderer: &mut Renderer,
    scene: &Scene<'_>,
    width: u32,
    height: u32,
    overlay: Option<Overlay<'_>>,
) -> Result<Picture, RenderError> {
    let most = gpu.device.limits().max_texture_dimension_2d;
    if !(1..=most).contains(&width) || !(1..=most).contains(&height) {
        return Err(RenderError::PictureSize {
            width,
            height,
            most,
        });
    }
    let format = renderer.target_format;
    let usage = wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC;
    let target = texture(gpu, "picture", format, [width, height], 1, usage);
    let view = target.create_view(&Default::default());
    let stats = renderer.render(gpu, &view, [width, height], scene);
    if let Some(overlay) = overlay {
        overlay(gpu, &view);
    }
    let mut rgba = read_texture(gpu, &target)?;
    if matches!(format.remove_srgb_suffix(), wgpu::TextureFormat::Bgra8Unorm) {
        rgba.chunks_exact_mut(4).for_each(|pixel| pixel.swap(0, 2));
    }
    Ok(Picture {
        width,
        height,
        rgba,
        stats,
    })
}

/// The texels row by row, without padding.
pub(crate) fn read_texture(gpu: &Gpu, texture: &wgpu::Texture) -> Result<Vec<u8>, RenderError> {
    let texel = texture.format().block_copy_size(None).unwrap_or(4);
    let row = texture.width() * texel;
    let padded = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
    let bytes = u64::from(padded) * u64::from(texture.height());
    let encoder = encoder(gpu);
    let content = read_buffer(gpu, encoder, bytes, |encoder, buffer| {
        let layout = wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(padded),
            rows_per_image: None,
        };
        encoder.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo { buffer, layout },
            texture.size(),
        );
    })?;
    let rows = content.chunks_exact(padded as usize);
    Ok(rows
        .flat_map(|line| &line[..row as usize])
        .copied()
        .collect())
}

/// Submits `encoder` with a copy into a buffer of `bytes`, and waits for its content.
pub(crate) fn read_buffer(
    gpu: &Gpu,
    mut encoder: wgpu::CommandEncoder,
    bytes: u64,
    copy: impl FnOnce(&mut wgpu::CommandEncoder, &wgpu::Buffer),
) -> Result<Vec<u8>, RenderError> {
    if bytes == 0 {
        return Ok(Vec::new());
    }
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("read back"),
        size: bytes,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    copy(&mut encoder, &buffer);
    gpu.queue.submit([encoder.finish()]);
    let (sender, receiver) = std::sync::mpsc::channel();
    buffer
        .slice(..)
        .map_async(wgpu::MapMode::Read, move |result| {
            // The receiver outlives the call, unless waiting for the device failed first.
            let _ = sender.send(result);
        });
    gpu.device
        .poll(wgpu::PollType::wait_indefinitely())
        .map_err(read_back)?;
    receiver.recv().map_err(read_back)?.map_err(read_back)?;
    let content = buffer.slice(..).get_mapped_range().map_err(read_back)?;
    Ok(content.to_vec())
}

fn read_back(error: impl std::fmt::Display) -> RenderError {
    RenderError::ReadBack(error.to_string())
}
