//! Pictures as tools give them back: what they are is read off their bytes, never off what is said of them.

/// The most Base64 characters of a picture that a tool gives back: below what every provider takes.
pub(super) const MAX_PICTURE: usize = 5 * 1024 * 1024;

/// The media type by the first bytes, in Base64; none if no provider takes it.
pub(super) fn media_type(base64: &str) -> Option<&'static str> {
    // Three bytes are four characters; the bits of a neighbour are left out of what is compared.
    let begins = |beginning: &str| base64.starts_with(beginning);
    if begins("iVBORw0KGgo") {
        Some("image/png")
    } else if begins("/9j/") {
        Some("image/jpeg")
    } else if begins("R0lGOD") {
        Some("image/gif")
    } else if begins("UklGR") && base64.get(11..16) == Some("XRUJQ") {
        Some("image/webp")
    } else {
        None
    }
}

/// Whether it is Base64 as providers want it: the usual alphabet, padded, without line ends.
#[cfg(feature = "mcp")]
pub(super) fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    text.len().is_multiple_of(4)
        && text.len() - digits.len() <= 2
        && digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/'))
}

#[cfg(test)]
mod tests {
    use briefing::message::Bytes;

    use super::media_type;

    #[test]
    fn a_picture_is_known_by_its_bytes() {
        let of = |bytes: &[u8]| media_type(Bytes::encode(bytes).as_base64());
        assert_eq!(of(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), Some("image/png"));
        assert_eq!(of(b"\xff\xd8\xff\xe0\0\x10JFIF"), Some("image/jpeg"));
        assert_eq!(of(b"GIF89a\x01\0"), Some("image/gif"));
        assert_eq!(of(b"RIFF\x24\0\0\0WEBPVP8 "), Some("image/webp"));
        assert_eq!(of(b"RIFF\x24\x01\x02\x03WEBPVP8 "), Some("image/webp"));
        assert_eq!(of(b"RIFF\x24\0\0\0WAVEfmt "), None);
        assert_eq!(of(b"<svg xmlns"), None);
        assert_eq!(of(b""), None);
    }
}
