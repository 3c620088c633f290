"""No library: the newest messages as a plain slice behind the system text, and the same list uncut.

On OpenAI Chat the stored messages are the request. On Anthropic they are rewritten as a loop of one's own would: every system
message joins the field `system`, an outcome is a block of a user message, arguments are parsed. Reads the damaged histories on
standard input, writes a line for each request.
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


WIRES = {"openai-chat": openai_chat, "anthropic": anthropic}
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
