"""No library: the newest messages as a plain slice behind the system text, and the same list uncut.

On OpenAI Chat the stored messages are the request. For the others they are rewritten as a loop of one's own would, message by
message; on Anthropic and Gemini every system message joins the leading text, and arguments are parsed. Reads the damaged histories
on standard input, writes a line for each request.
"""

import json
import sys


def openai_chat(model, tools, system, messages):
    return {
        "model": model,
        "messages": system + messages,
        "tools": [
            {
                "type": "function",
                "function": {"name": name, "description": name, "parameters": {"type": "object", "properties": {}}},
            }
            for name in tools
        ],
    }


def anthropic(model, tools, system, messages):
    late = [message for message in messages if message["role"] == "system"]
    return {
        "model": model,
        "max_tokens": 1024,
        "system": "\n\n".join(message["content"] for message in system + late),
        "messages": [anthropic_message(message) for message in messages if message["role"] != "system"],
        "tools": [
            {"name": name, "description": name, "input_schema": {"type": "object", "properties": {}}} for name in tools
        ],
    }


def anthropic_message(message):
    if message["role"] == "tool":
        outcome = {"type": "tool_result", "tool_use_id": message["tool_call_id"], "content": message["content"]}
        return {"role": "user", "content": [outcome]}
    if message["role"] == "assistant" and message.get("tool_calls"):
        said = [{"type": "text", "text": message["content"]}] if message["content"] else []
        calls = [
            {
                "type": "tool_use",
                "id": call["id"],
                "name": call["function"]["name"],
                "input": json.loads(call["function"]["arguments"]),
            }
            for call in message["tool_calls"]
        ]
        return {"role": "assistant", "content": said + calls}
    content = message["content"]
    if isinstance(content, list):
        content = [anthropic_part(part) for part in content]
    return {"role": message["role"], "content": content or ""}


def anthropic_part(part):
    if part["type"] == "text":
        return part
    media_type, data = part["image_url"]["url"].removeprefix("data:").split(";base64,")
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}}


def openai_responses(model, tools, system, messages):
    return {
        "model": model,
        "input": [item for message in system + messages for item in openai_items(message)],
        "tools": [
            {"type": "function", "name": name, "description": name, "parameters": {"type": "object", "properties": {}}}
            for name in tools
        ],
    }


def openai_items(message):
    if message["role"] == "tool":
        return [{"type": "function_call_output", "call_id": message["tool_call_id"], "output": message["content"]}]
    content = message["content"]
    if isinstance(content, list):
        content = [openai_part(part) for part in content]
    calls = message.get("tool_calls") or []
    said = [{"role": message["role"], "content": content or ""}] if content or not calls else []
    return said + [{"type": "function_call", "call_id": call["id"], **call["function"]} for call in calls]


def openai_part(part):
    if part["type"] == "text":
        return {"type": "input_text", "text": part["text"]}
    return {"type": "input_image", "image_url": part["image_url"]["url"]}


def gemini(model, tools, system, messages):
    late = [message for message in messages if message["role"] == "system"]
    contents = []
    for message in messages:
        if message["role"] == "system":
            continue
        content = gemini_content(message)
        # Outcomes that stand together are one turn.
        if message["role"] == "tool" and contents and "functionResponse" in contents[-1]["parts"][0]:
            contents[-1]["parts"] += content["parts"]
        else:
            contents.append(content)
    declared = [{"name": name, "description": name, "parameters": {"type": "object", "properties": {}}} for name in tools]
    return {
        "systemInstruction": {"parts": [{"text": message["content"]} for message in system + late]},
        "contents": contents,
        "tools": [{"functionDeclarations": declared}],
    }


def gemini_content(message):
    if message["role"] == "tool":
        outcome = {"name": message["name"], "response": {"output": message["content"]}}
        return {"role": "user", "parts": [{"functionResponse": outcome}]}
    content = message["content"]
    calls = message.get("tool_calls") or []
    if isinstance(content, list):
        parts = [gemini_part(part) for part in content]
    else:
        parts = [{"text": content or ""}] if content or not calls else []
    for call in calls:
        function = call["function"]
        parts.append({"functionCall": {"name": function["name"], "args": json.loads(function["arguments"])}})
    return {"role": "model" if message["role"] == "assistant" else "user", "parts": parts}


def gemini_part(part):
    if part["type"] == "text":
        return {"text": part["text"]}
    media_type, data = part["image_url"]["url"].removeprefix("data:").split(";base64,")
    return {"inlineData": {"mimeType": media_type, "data": data}}


WIRES = {"openai-chat": openai_chat, "openai-responses": openai_responses, "anthropic": anthropic, "gemini": gemini}
SETTINGS = {
    "messages[-n:] (default)": lambda messages, window: messages[-window:],
    "no window": lambda messages, window: messages,
}


def main():
    for line in sys.stdin:
        case = json.loads(line)
        messages = case["messages"]
        leading = next(at for at, message in enumerate(messages) if message["role"] != "system")
        system, messages = messages[:leading], messages[leading:]
        for wire, model in case["wires"].items():
            for setting, cut in SETTINGS.items():
                made = {"id": case["id"], "setting": setting, "bounded": setting != "no window", "wire": wire}
                try:
                    made["request"] = WIRES[wire](model, case["tools"], system, cut(messages, case["window"]))
                except Exception as error:
                    made["error"] = type(error).__name__
                print(json.dumps(made))


main()
