//! The call of a body: what stands beside the messages.

use std::sync::Arc;

use briefing::{Call, Profiles, Tool};
use briefing_json::{Path, Value, present};

use super::reader::{Read, Reader, array, object};

/// Reads model, tools and parameters, which are all fields but the `reserved`. The answer's reserve is what the body allows for it, if it says so.
pub(crate) fn call(
    body: Value<'_>,
    reserved: &[&'static str],
    reader: &mut Reader,
    tool: fn(Value<'_>, &Path<'_>, &mut Reader) -> Read<Tool>,
) -> Read<Call> {
    let root = Path::Root;
    let model = reader.member_or_empty(body, "model", &root)?;
    let mut call = Call::new(Profiles::built_in().model(&model, Some(reader.wire())));
    call = call.parameters_of(reader.unknown(body, reserved, &root));
    let limit =
        ["max_completion_tokens", "max_tokens", "max_output_tokens"].iter().find_map(|key| body.get(key)?.raw().parse().ok());
    if let Some(limit) = limit {
        call = call.output_reserve(limit);
    }
    let Some(tools) = present(body, "tools") else { return Ok(call) };
    let at = root.key("tools");
    let mut list = Vec::new();
    for (index, value) in array(tools, &at)?.items().enumerate() {
        let at = at.index(index);
        list.push(tool(object(value, &at)?, &at, reader)?);
    }
    Ok(call.tools(Arc::from(list)))
}
