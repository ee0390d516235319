//! The only place that calls the C++ decoders of meshoptimizer.
#![allow(
    unsafe_code,
    reason = "the decoders are C functions over raw buffers; the crate's safe wrappers need the element size at compile time"
)]

use meshopt::ffi;

/// How the bytes are compressed (`mode` of EXT_meshopt_compression).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    Attributes,
    Triangles,
    Indices,
}

/// What is done to decoded attributes (`filter`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Filter {
    None,
    Octahedral,
    Quaternion,
    Exponential,
    Color,
}

/// `count` elements of `stride` bytes out of `data`, or `None` for data that is no such stream or a stride or
/// count that the mode and filter do not allow.
pub(crate) fn decode(
    mode: Mode,
    filter: Filter,
    count: usize,
    stride: usize,
    data: &[u8],
) -> Option<Vec<u8>> {
    let fits = match mode {
        Mode::Attributes => (4..=256).contains(&stride) && stride.is_multiple_of(4),
        Mode::Triangles => (stride == 2 || stride == 4) && count.is_multiple_of(3),
        Mode::Indices => stride == 2 || stride == 4,
    };
    let filter_fits = match filter {
        Filter::None => true,
        Filter::Octahedral | Filter::Color => stride == 4 || stride == 8,
        Filter::Quaternion => stride == 8,
        Filter::Exponential => stride.is_multiple_of(4),
    };
    if !fits || !filter_fits || (mode != Mode::Attributes && filter != Filter::None) {
        return None;
    }
    let size = count.checked_mul(stride)?;
    // Filters read whole words, so the buffer is made of the widest of them.
    let mut words = vec![0u64; size.div_ceil(8)];
    let target = words.as_mut_ptr().cast();
    let source = (data.as_ptr(), data.len());
    // SAFETY: `target` points at `count * stride` writable bytes, aligned to 8, and `source` at as many readable
    // bytes as it says; strides and counts are those that the decoders assert. They bound every read by the
    // given length and answer broken data with a code other than 0.
    let code = unsafe {
        match mode {
            Mode::Attributes => {
                ffi::meshopt_decodeVertexBuffer(target, count, stride, source.0, source.1)
            }
            Mode::Triangles => {
                ffi::meshopt_decodeIndexBuffer(target, count, stride, source.0, source.1)
            }
            Mode::Indices => {
                ffi::meshopt_decodeIndexSequence(target, count, stride, source.0, source.1)
            }
        }
    };
    if code != 0 {
        return None;
    }
    // SAFETY: the filters work in place on `count` elements of `stride` bytes; strides were checked above.
    unsafe {
        match filter {
            Filter::None => {}
            Filter::Octahedral => ffi::meshopt_decodeFilterOct(target, count, stride),
            Filter::Quaternion => ffi::meshopt_decodeFilterQuat(target, count, stride),
            Filter::Exponential => ffi::meshopt_decodeFilterExp(target, count, stride),
            Filter::Color => ffi::meshopt_decodeFilterColor(target, count, stride),
        }
    }
    let mut bytes: Vec<u8> = bytemuck::cast_slice(&words).to_vec();
    bytes.truncate(size);
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_attributes_and_indices_come_back() {
        let vertices: Vec<[u32; 3]> = (0..100).map(|i| [i, i * i, 7]).collect();
        let encoded = meshopt::encode_vertex_buffer(&vertices).expect("encodes");
        let decoded = decode(Mode::Attributes, Filter::None, 100, 12, &encoded).expect("decodes");
        assert_eq!(decoded, bytemuck::cast_slice::<_, u8>(&vertices));

        let indices = [0u32, 1, 2, 2, 1, 3];
        let encoded = meshopt::encode_index_buffer(&indices, 4).expect("encodes");
        let decoded = decode(Mode::Triangles, Filter::None, 6, 4, &encoded).expect("decodes");
        assert_eq!(decoded, bytemuck::cast_slice::<_, u8>(&indices));
    }

    #[test]
    fn impossible_shapes_and_cut_off_data_are_none() {
        let encoded = meshopt::encode_vertex_buffer(&[[1u32; 3]; 50]).expect("encodes");
        let cases = [
            (Mode::Attributes, Filter::None, 50, 10),
            (Mode::Attributes, Filter::None, 50, 260),
            (Mode::Attributes, Filter::Quaternion, 50, 12),
            (Mode::Triangles, Filter::None, 50, 4),
            (Mode::Indices, Filter::Exponential, 50, 4),
            (Mode::Attributes, Filter::None, usize::MAX / 2, 12),
        ];
        for (mode, filter, count, stride) in cases {
            assert_eq!(
                decode(mode, filter, count, stride, &encoded),
                None,
                "{mode:?} {filter:?}"
            );
        }
        for length in 0..encoded.len() {
            assert_eq!(
                decode(Mode::Attributes, Filter::None, 50, 12, &encoded[..length]),
                None
            );
        }
    }
}
