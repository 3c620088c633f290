//! Finding the bytes that a JSON string cannot hold as they are. Whole blocks are looked at at once: the compiler turns these
//! loops into vector instructions, which no early exit may break.

const BLOCK: usize = 32;

/// Whether the byte is a quote, a backslash or a control character.
const fn special(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < 0x20)
}

/// Whether a control character has a two-byte escape of its own.
const fn short(byte: u8) -> bool {
    matches!(byte, 0x08 | b'\t' | b'\n' | 0x0c | b'\r')
}

/// The place of the first special byte.
pub(crate) fn first_special(bytes: &[u8]) -> Option<usize> {
    let mut blocks = bytes.chunks_exact(BLOCK);
    let dirty = |block: &[u8]| block.iter().fold(0, |any, byte| any | u8::from(special(*byte))) != 0;
    let start = BLOCK * blocks.by_ref().take_while(|block| !dirty(block)).count();
    let found = bytes.get(start..)?.iter().position(|byte| special(*byte))?;
    Some(start + found)
}

/// How many bytes escapes add.
pub(crate) fn escaped_extra(bytes: &[u8]) -> usize {
    let block = |block: &[u8]| {
        let (mut all, mut long) = (0_u8, 0_u8);
        for byte in block {
            all += u8::from(special(*byte));
            long += u8::from((*byte < 0x20) & !short(*byte));
        }
        usize::from(all) + 4 * usize::from(long)
    };
    bytes.chunks(4 * BLOCK).map(block).sum()
}
