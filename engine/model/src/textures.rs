//! Images: found, fetched, decoded within limits.

use std::{collections::HashMap, io::Cursor};

use image::{ImageReader, Limits};
use serde::Deserialize;

use crate::{
    Texture,
    accessor::Reader,
    buffers::Fetch,
    document::Document,
    error::{Result, Warnings},
    references,
    uri::{self, Source},
};

/// The widest and highest image, pixels.
const MAX_SIDE: u32 = 8192;

/// Decodes images as materials ask for them, each once.
pub(crate) struct Textures<'a, 'r> {
    pub(crate) document: &'a Document,
    pub(crate) reader: &'a mut Reader<'r>,
    pub(crate) fetch: Fetch<'a>,
    pub(crate) list: Vec<Texture>,
    /// By image: index into `list`, or `None` for one that cannot be had.
    pub(crate) of_image: HashMap<usize, Option<usize>>,
}

impl Textures<'_, '_> {
    /// Index into the list for a texture of the file; `None`, with a warning, where its image cannot be had.
    pub(crate) fn get(&mut self, texture: usize, warnings: &mut Warnings) -> Result<Option<usize>> {
        let Some(image) = self.image_of(texture)? else {
            let message = "the texture names no image of a known kind";
            warnings.add("W-IMAGE-MISSING", format!("/textures/{texture}"), message);
            return Ok(None);
        };
        if let Some(&known) = self.of_image.get(&image) {
            return Ok(known);
        }
        let pointer = format!("/images/{image}");
        let index = match self.bytes(image, &pointer)? {
            Err(reason) => {
                warnings.add("W-IMAGE-MISSING", pointer, reason);
                None
            }
            Ok(bytes) => match self.decode(&bytes, &pointer) {
                Err(reason) => {
                    warnings.add("W-IMAGE-UNREADABLE", pointer, reason);
                    None
                }
                Ok(texture) => {
                    self.list.push(texture);
                    Some(self.list.len() - 1)
                }
            },
        };
        self.of_image.insert(image, index);
        Ok(index)
    }

    /// The image of a texture; EXT_texture_webp's goes before the fallback.
    fn image_of(&self, texture: usize) -> Result<Option<usize>> {
        #[derive(Deserialize)]
        struct Webp {
            source: usize,
        }
        let pointer = format!("/textures/{texture}");
        let source = &self.document.textures[texture];
        let Some(Webp { source: image }) = source.extensions.get("EXT_texture_webp", &pointer)?
        else {
            return Ok(source.source);
        };
        let owner = format!("{pointer}/extensions/EXT_texture_webp/source");
        references::within(owner, "image", image, self.document.images.len())?;
        Ok(Some(image))
    }

    /// The encoded bytes, or why they are not there.
    fn bytes(
        &mut self,
        image: usize,
        pointer: &str,
    ) -> Result<std::result::Result<Vec<u8>, String>> {
        let image = &self.document.images[image];
        Ok(match (&image.uri, image.buffer_view) {
            (Some(uri), _) => match uri::resolve(uri, &format!("{pointer}/uri"))? {
                Source::Inline(bytes) => Ok(bytes),
                Source::File(path) => (self.fetch)(&path)
                    .map_err(|reason| format!("`{path}` could not be read: {reason}")),
            },
            (None, Some(view)) => Ok(self.reader.views[view].bytes.to_vec()),
            (None, None) => Err("the image has neither a `uri` nor a `bufferView`".to_owned()),
        })
    }

    /// The decoded image, or why it cannot be decoded.
    fn decode(&mut self, bytes: &[u8], pointer: &str) -> std::result::Result<Texture, String> {
        let mut limits = Limits::default();
        limits.max_image_width = Some(MAX_SIDE);
        limits.max_image_height = Some(MAX_SIDE);
        limits.max_alloc = Some(self.reader.budget.left());
        let open = || {
            let mut reader = ImageReader::new(Cursor::new(bytes)).with_guessed_format()?;
            reader.limits(limits.clone());
            Ok::<_, image::ImageError>(reader)
        };
        let size = open().and_then(ImageReader::into_dimensions);
        let (width, height) = size.map_err(|error| error.to_string())?;
        // Decoders hold an image twice at most: as stored and as RGBA.
        let pixels = u64::from(width) * u64::from(height);
        let budget = &mut self.reader.budget;
        budget
            .take(pixels, 8, pointer)
            .map_err(|error| error.message)?;
        let decoded = open().and_then(ImageReader::decode);
        let rgba = decoded.map_err(|error| error.to_string())?.into_rgba8();
        Ok(Texture {
            width: rgba.width(),
            height: rgba.height(),
            rgba: rgba.into_raw(),
        })
    }
}
