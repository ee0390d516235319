//! Images for the GPU: smaller copies for the distance, and a size that the device takes.

use std::borrow::Cow;

use sinew_model::Texture;

/// A texture and its smaller copies.
pub(crate) struct MipChain {
    pub width: u32,
    pub height: u32,
    /// From `width` x `height` to 1 x 1; four bytes a pixel.
    pub levels: Vec<Vec<u8>>,
}

/// Halves the image until it fits into `most` pixels a side, and then on down to one pixel. An image
/// without as many bytes as its size asks for becomes one white pixel.
pub(crate) fn mip_chain(image: &Texture, most: u32) -> MipChain {
    let bytes = u64::from(image.width) * u64::from(image.height) * 4;
    let white = Texture {
        width: 1,
        height: 1,
        rgba: vec![255; 4],
    };
    let whole = bytes > 0 && bytes == image.rgba.len() as u64;
    let mut image = Cow::Borrowed(if whole { image } else { &white });
    while image.width.max(image.height) > most {
        image = Cow::Owned(halved(&image));
    }
    let (width, height) = (image.width, image.height);
    let mut levels = Vec::new();
    while image.width.max(image.height) > 1 {
        let smaller = halved(&image);
        levels.push(
            std::mem::replace(&mut image, Cow::Owned(smaller))
                .into_owned()
                .rgba,
        );
    }
    levels.push(image.into_owned().rgba);
    MipChain {
        width,
        height,
        levels,
    }
}

/// Averages two by two pixels, colours as light rather than as sRGB codes, each by its alpha.
fn halved(image: &Texture) -> Texture {
    let (width, height) = ((image.width / 2).max(1), (image.height / 2).max(1));
    let light: Vec<f32> = (0..=255)
        .map(|code| to_linear(code as f32 / 255.0))
        .collect();
    let mut rgba = Vec::with_capacity((width * height * 4) as usize);
    for y in 0..height {
        for x in 0..width {
            let corners = [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(dx, dy)| {
                let column = (x * 2 + dx).min(image.width - 1) as usize;
                let row = (y * 2 + dy).min(image.height - 1) as usize;
                let at = (row * image.width as usize + column) * 4;
                [0, 1, 2, 3].map(|channel| image.rgba[at + channel])
            });
            let alpha: f32 = corners.iter().map(|c| f32::from(c[3])).sum();
            for channel in 0..3 {
                // Where all is transparent, colour still matters to filters.
                let sum: f32 = corners
                    .iter()
                    .map(|c| light[usize::from(c[channel])] * (f32::from(c[3]) + 1e-3))
                    .sum();
                rgba.push((to_srgb(sum / (alpha + 4e-3)) * 255.0).round() as u8);
            }
            rgba.push((alpha / 4.0).round() as u8);
        }
    }
    Texture {
        width,
        height,
        rgba,
    }
}

fn to_linear(code: f32) -> f32 {
    if code <= 0.04045 {
        code / 12.92
    } else {
        ((code + 0.055) / 1.055).powf(2.4)
    }
}

fn to_srgb(light: f32) -> f32 {
    if light <= 0.003_130_8 {
        light * 12.92
    } else {
        1.055 * light.powf(1.0 / 2.4) - 0.055
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(width: u32, height: u32, pixel: [u8; 4]) -> Texture {
        Texture {
            width,
            height,
            rgba: pixel.repeat((width * height) as usize),
        }
    }

    #[test]
    fn an_even_colour_stays_itself_down_to_one_pixel() {
        let chain = mip_chain(&image(13, 4, [10, 128, 255, 77]), 2048);
        assert_eq!((chain.width, chain.height), (13, 4));
        let sizes: Vec<usize> = chain.levels.iter().map(Vec::len).collect();
        assert_eq!(sizes, [13 * 4 * 4, 6 * 2 * 4, 3 * 4, 4]);
        assert_eq!(chain.levels[3], [10, 128, 255, 77]);
    }

    #[test]
    fn black_and_white_mix_as_light() {
        let mut board = image(2, 2, [0, 0, 0, 255]);
        board.rgba[0..4].fill(255);
        board.rgba[12..16].fill(255);
        assert_eq!(mip_chain(&board, 8).levels[1], [188, 188, 188, 255]);
    }

    #[test]
    fn what_is_too_large_is_halved_until_it_fits() {
        let chain = mip_chain(&image(64, 10, [1, 2, 3, 255]), 20);
        assert_eq!((chain.width, chain.height), (16, 2));
    }

    #[test]
    fn an_image_without_its_pixels_is_white() {
        let chain = mip_chain(
            &Texture {
                width: 9000,
                height: 9000,
                rgba: vec![1, 2, 3],
            },
            64,
        );
        assert_eq!(chain.levels, [[255; 4]]);
    }
}
