//! Draco-compressed primitives (KHR_draco_mesh_compression).

use std::{
    collections::BTreeMap,
    panic::{AssertUnwindSafe, catch_unwind},
};

use draco_core::{DecodeLimits, DecoderBuffer, Mesh, MeshDecoder};
use serde::Deserialize;

use crate::{
    accessor::Reader,
    document::Primitive,
    element::{Numbers, Shape},
    error::{ImportError, Result},
    references,
};

const NAME: &str = "KHR_draco_mesh_compression";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Extension {
    buffer_view: usize,
    /// Draco's own identifier of each attribute.
    attributes: BTreeMap<String, u32>,
}

/// A decoded primitive.
pub(crate) struct Decoded {
    mesh: Mesh,
    ids: BTreeMap<String, u32>,
    pointer: String,
}

/// Decodes a primitive; `None` for one that is not compressed.
pub(crate) fn decode(
    primitive: &Primitive,
    pointer: &str,
    reader: &mut Reader,
) -> Result<Option<Decoded>> {
    let Some(extension) = primitive.extensions.get::<Extension>(NAME, pointer)? else {
        return Ok(None);
    };
    let pointer = format!("{pointer}/extensions/{NAME}");
    let views = reader.views.len();
    references::within(
        format_args!("{pointer}/bufferView"),
        "buffer view",
        extension.buffer_view,
        views,
    )?;
    let bytes = &reader.views[extension.buffer_view].bytes;
    let budget = reader.budget.left();
    // A face takes 12 bytes, a point at least as many once its position is read.
    let limits = DecodeLimits::default()
        .with_max_decoded_bytes(budget)
        .with_max_faces(budget / 12)
        .with_max_points(budget / 12);
    let refuse = |message: String| ImportError::new("E-DRACO", pointer.clone(), message);
    // The decoder promises errors, not panics; broken streams are too many to rely on that alone.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let mut mesh = Mesh::new();
        let mut buffer = DecoderBuffer::new(bytes).with_limits(limits);
        let status = MeshDecoder::new().decode(&mut buffer, &mut mesh);
        status.map(|()| mesh)
    }));
    let mesh = match outcome {
        Ok(Ok(mesh)) => mesh,
        Ok(Err(error)) => return Err(refuse(format!("the data cannot be decoded: {error}"))),
        Err(_) => return Err(refuse("the data cannot be decoded".to_owned())),
    };
    reader.budget.take(mesh.num_faces() as u64, 12, &pointer)?;
    Ok(Some(Decoded {
        mesh,
        ids: extension.attributes,
        pointer,
    }))
}

impl Decoded {
    pub(crate) fn has(&self, name: &str) -> bool {
        self.ids.contains_key(name)
    }

    /// Three point numbers a triangle.
    pub(crate) fn triangles(&self) -> Vec<u32> {
        let faces = self.mesh.faces().iter();
        faces.flat_map(|face| face.map(|point| point.0)).collect()
    }

    /// An attribute of every point; `accessor` states its type.
    pub(crate) fn floats(
        &self,
        name: &str,
        accessor: usize,
        owner: &str,
        shape: Shape,
        numbers: Numbers,
        reader: &mut Reader,
    ) -> Result<Vec<f32>> {
        let layout = reader.expect(accessor, owner, shape, numbers)?;
        let missing = || {
            ImportError::new(
                "E-DRACO",
                format!("{}/attributes/{name}", self.pointer),
                format!("the data has no attribute for {name}"),
            )
        };
        let id = *self.ids.get(name).ok_or_else(missing)?;
        let attribute = self.mesh.attribute_by_unique_id(id).ok_or_else(missing)?;
        let (points, components) = (self.mesh.num_points(), shape.components());
        let size = (components * size_of::<f32>()) as u64;
        reader.budget.take(points as u64, size, owner)?;
        let mut values = attribute.read_f32s(points, components);
        if layout.normalized {
            for value in &mut values {
                *value = layout.component.normalise(f64::from(*value)) as f32;
            }
        }
        match values.iter().all(|value| value.is_finite()) {
            true => Ok(values),
            false => Err(ImportError::new(
                "E-NOT-FINITE",
                owner,
                "the decoded numbers are not all finite",
            )),
        }
    }
}
