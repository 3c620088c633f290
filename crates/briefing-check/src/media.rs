//! Pictures and files inside a body.

use briefing_json::Path;

use crate::fault::{Fault, clip};
use crate::report::Findings;

/// The image types that OpenAI and Anthropic read, by both their documentations.
const IMAGE_TYPES: [&str; 4] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/// The most characters of Base64 that Anthropic takes for one image: 5 MiB, of the encoded form (report B66).
pub(crate) const MAX_ANTHROPIC_IMAGE: usize = 5 * 1024 * 1024;

/// Checks Base64 data: there is some (report B72), it is Base64, and of an image not too much.
pub(crate) fn data(data: &str, most: Option<usize>, at: &Path<'_>, out: &mut Findings) {
    if data.is_empty() {
        out.add(at, Fault::EmptyMedia);
    } else if !is_base64(data) {
        out.add(at, Fault::NotBase64);
    } else if let Some(most) = most.filter(|most| data.len() > *most) {
        out.add(at, Fault::ImageTooLarge { bytes: data.len(), most });
    }
}

/// Checks an image's type (report B73).
pub(crate) fn image_type(media_type: &str, at: &Path<'_>, out: &mut Findings) {
    if !IMAGE_TYPES.contains(&media_type) {
        out.add(at, Fault::MediaType { found: clip(media_type) });
    }
}

/// The type and the data of a `data:` URI; none if it is another URI.
pub(crate) fn data_uri(uri: &str) -> Option<(&str, &str)> {
    let (head, data) = uri.strip_prefix("data:")?.split_once(',')?;
    let media_type = head.split(';').next().unwrap_or_default();
    Some((media_type, data))
}

fn is_base64(data: &str) -> bool {
    let body = data.trim_end_matches('=');
    body.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'\r' | b'\n'))
}

/// Whether it is Base64 of either alphabet, as proto JSON reads bytes.
pub(crate) fn is_proto_bytes(data: &str) -> bool {
    let body = data.trim_end_matches('=');
    body.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'\r' | b'\n'))
}
