//! One connection: requests read within bounds, answers written at their pace.

use std::io;
use std::pin::pin;
use std::sync::{Arc, PoisonError};

use futures_util::future::{Either, select};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

use super::turn::{Breaks, Content, EVENTS, Pace, Response};
use super::{Recorded, State};

/// How many bytes the lines of a request may take.
const MAX_HEAD: u64 = 64 * 1024;
/// How many bytes a request's body may take.
const MAX_BODY: u64 = 256 * 1024 * 1024;
/// A line of a stream that says nothing, in number.
const FILLER: &[u8] = &[b':'; 16 * 1024];

/// Answers one request after the other until the client leaves or an answer is cut off.
pub(super) async fn serve(socket: TcpStream, state: Arc<State>) {
    let _open = state.counted(|counts| &mut counts.connections);
    let _ = socket.set_nodelay(true);
    let (reader, mut writer) = socket.into_split();
    let mut reader = BufReader::new(reader);
    // Whatever a client does wrong ends its connection and nothing else.
    while let Ok(Some(request)) = read(&mut reader, &mut writer).await {
        if !answer(request, &state, &mut reader, &mut writer).await.unwrap_or(false) {
            break;
        }
    }
}

/// Reads a request; none if there is none.
async fn read(reader: &mut BufReader<OwnedReadHalf>, writer: &mut OwnedWriteHalf) -> io::Result<Option<Recorded>> {
    let mut head = reader.take(MAX_HEAD);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if head.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        match line.trim_end() {
            "" if lines.is_empty() => {}
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let mut lines = lines.into_iter();
    let path = lines.next().and_then(|line| line.split(' ').nth(1).map(str::to_owned)).unwrap_or_default();
    let headers =
        lines.filter_map(|line| line.split_once(':').map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned())));
    let mut request = Recorded { path, headers: headers.collect(), body: Vec::new() };
    if request.header("transfer-encoding").is_some() {
        writer.write_all(b"HTTP/1.1 411 Length Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").await?;
        return Ok(None);
    }
    if request.header("expect").is_some() {
        writer.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
    }
    let length = request.header("content-length").map_or(Ok(0), str::parse::<u64>);
    let length = length.ok().filter(|length| *length <= MAX_BODY).ok_or(io::ErrorKind::InvalidData)?;
    reader.take(length).read_to_end(&mut request.body).await?;
    Ok((request.body.len() as u64 == length).then_some(request))
}

/// Answers a request. Whether the connection goes on.
async fn answer(
    request: Recorded,
    state: &State,
    reader: &mut BufReader<OwnedReadHalf>,
    writer: &mut OwnedWriteHalf,
) -> io::Result<bool> {
    let (turn, request) = state.script.next(request);
    let response = turn.response(&request);
    state.requests.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::new(request));
    if !turn.pace.first_byte.is_zero() {
        tokio::time::sleep(turn.pace.first_byte).await;
    }
    let streamed = response.kind == EVENTS;
    writer.write_all(head(&response).as_bytes()).await?;
    let mut out = Out { reader, writer, state, streamed };
    let whole = match &response.content {
        Content::Bytes(bytes) => out.bytes(bytes, &turn.pace).await?,
        Content::Filler(bytes) => {
            out.filler(*bytes).await?;
            true
        }
    };
    if whole && streamed {
        out.writer.write_all(b"0\r\n\r\n").await?;
    }
    Ok(whole)
}

fn head(response: &Response) -> String {
    let mut out = format!("HTTP/1.1 {} Scripted\r\ncontent-type: {}\r\n", response.status, response.kind);
    for (name, value) in &response.headers {
        out.push_str(&format!("{name}: {value}\r\n"));
    }
    match &response.content {
        Content::Bytes(bytes) if response.kind != EVENTS => out.push_str(&format!("content-length: {}\r\n\r\n", bytes.len())),
        Content::Bytes(_) | Content::Filler(_) => out.push_str("transfer-encoding: chunked\r\n\r\n"),
    }
    out
}

struct Out<'a> {
    reader: &'a mut BufReader<OwnedReadHalf>,
    writer: &'a mut OwnedWriteHalf,
    state: &'a State,
    /// In chunks.
    streamed: bool,
}

impl Out<'_> {
    /// Writes a body at its pace. Whether it came whole.
    async fn bytes(&mut self, bytes: &[u8], pace: &Pace) -> io::Result<bool> {
        let at = match pace.breaks {
            Breaks::Never => bytes.len(),
            Breaks::CutAfter(at) | Breaks::StallAfter(at) => at.min(bytes.len()),
        };
        let (before, behind) = bytes.split_at_checked(at).unwrap_or((bytes, &[]));
        self.pieces(before, pace).await?;
        match pace.breaks {
            Breaks::Never => Ok(true),
            Breaks::CutAfter(_) => Ok(false),
            Breaks::StallAfter(_) => {
                if !self.released().await {
                    return Ok(false);
                }
                self.pieces(behind, pace).await?;
                Ok(true)
            }
        }
    }

    async fn pieces(&mut self, bytes: &[u8], pace: &Pace) -> io::Result<()> {
        let mut sizes = pace.sizes.iter().map(|size| (*size).max(1)).cycle();
        let mut rest = bytes;
        while !rest.is_empty() {
            let size = sizes.next().unwrap_or(rest.len()).min(rest.len());
            let (piece, behind) = rest.split_at_checked(size).unwrap_or((rest, &[]));
            self.piece(piece).await?;
            if !behind.is_empty() && !pace.pause.is_zero() {
                tokio::time::sleep(pace.pause).await;
            }
            rest = behind;
        }
        Ok(())
    }

    async fn piece(&mut self, bytes: &[u8]) -> io::Result<()> {
        if !self.streamed {
            return self.writer.write_all(bytes).await;
        }
        // One write, so that a piece arrives as one.
        let mut chunk = format!("{:x}\r\n", bytes.len()).into_bytes();
        chunk.extend_from_slice(bytes);
        chunk.extend_from_slice(b"\r\n");
        self.writer.write_all(&chunk).await
    }

    /// Writes comments of a stream.
    async fn filler(&mut self, bytes: u64) -> io::Result<()> {
        let mut left = bytes;
        while left > 0 {
            let size = usize::try_from(left).unwrap_or(usize::MAX).min(FILLER.len());
            let piece = FILLER.get(1..size).unwrap_or_default();
            self.piece(&[piece, b"\n"].concat()).await?;
            left = left.saturating_sub(size as u64);
        }
        Ok(())
    }

    /// Waits until the server lets it go on. False if the client left before.
    async fn released(&mut self) -> bool {
        let _stalled = self.state.counted(|counts| &mut counts.stalled);
        let mut released = self.state.released.subscribe();
        let gone = match select(pin!(released.wait_for(|released| *released)), pin!(self.reader.fill_buf())).await {
            Either::Left(_) => return true,
            Either::Right((more, _)) => more.map_or(true, <[u8]>::is_empty),
        };
        // More of a client that does not wait for its answer, which is read once there is one.
        !gone && released.wait_for(|released| *released).await.is_ok()
    }
}
