"""Makes the fixtures of LangChain out of recorded requests and transcripts, with LangChain itself: each recorded answer is parsed by
the provider's package as if the provider had just sent it, and the lists are dumped in LangChain's own ways.

    pip install langchain-core==1.8.3 langchain-openai==1.7.4 langchain-anthropic==1.7.10 langchain-google-genai==4.4.3
    python make.py RECORDINGS TRANSCRIPTS     writes langchain/*.json beside this file
    python make.py --check FILE…              loads lists that Briefing wrote with LangChain's own loader
"""

import json
import pathlib
import sys

from langchain_core.language_models._utils import _update_message_content_to_blocks
from langchain_core.load import dumpd, load
from langchain_core.messages import (
    AIMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    convert_to_messages,
    messages_from_dict,
    messages_to_dict,
)

HERE = pathlib.Path(__file__).parent / "langchain"


def plain(content):
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [])


def anthropic(request, answer_v):
    from anthropic.types import Message
    from langchain_anthropic import ChatAnthropic

    model = ChatAnthropic(model=request["model"], api_key="none", output_version=answer_v)
    out = [SystemMessage(plain(request["system"]))] if request.get("system") else []
    for message in request["messages"]:
        blocks = message["content"]
        blocks = [{"type": "text", "text": blocks}] if isinstance(blocks, str) else blocks
        if message["role"] == "assistant":
            body = {"id": "msg_recorded", "type": "message", "role": "assistant", "model": request["model"], "content": blocks,
                    "stop_reason": "tool_use" if any(b["type"] == "tool_use" for b in blocks) else "end_turn",
                    "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}
            out.append(model._format_output(Message.model_validate(body)).generations[0].message)
            continue
        for block in blocks:
            if block["type"] == "tool_result":
                status = "error" if block.get("is_error") else "success"
                out.append(ToolMessage(block.get("content") or "", tool_call_id=block["tool_use_id"], status=status))
        rest = [block for block in blocks if block["type"] != "tool_result"]
        if rest:
            out.append(HumanMessage(rest))
    return out


def openai(request, answer_v):
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model=request["model"], api_key="none", output_version=answer_v)
    out = []
    for message in request["messages"]:
        if message["role"] == "assistant":
            body = {"id": "chatcmpl-recorded", "object": "chat.completion", "created": 1, "model": request["model"],
                    "choices": [{"index": 0, "message": {"content": None, **message},
                                 "finish_reason": "tool_calls" if message.get("tool_calls") else "stop"}]}
            out.append(model._create_chat_result(body).generations[0].message)
        else:
            out.extend(convert_to_messages([message]))
    return out


def responses(request, answer_v):
    from langchain_openai.chat_models.base import _construct_lc_result_from_responses_api
    from openai.types.responses import Response

    out, answer = [], []

    def said():
        if answer:
            body = {"id": "resp_recorded", "object": "response", "created_at": 1, "model": request["model"], "output": list(answer),
                    "status": "completed", "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
            out.append(_construct_lc_result_from_responses_api(Response.model_construct(**Response.model_validate(body).__dict__),
                                                               output_version=answer_v).generations[0].message)
            answer.clear()

    for item in request["input"]:
        kind = item.get("type", "message")
        if kind == "message" and item["role"] != "assistant":
            said()
            if isinstance(item.get("content"), (str, list)) and item["role"] in ("user", "system"):
                out.append((HumanMessage if item["role"] == "user" else SystemMessage)(plain(item["content"])))
        elif kind == "function_call_output":
            said()
            out.append(ToolMessage(item["output"], tool_call_id=item["call_id"]))
        elif kind in ("message", "reasoning", "function_call"):
            content = item.get("content")
            if isinstance(content, str):
                content = [{"type": "output_text", "text": content, "annotations": []}]
            extra = {"content": content} if kind == "message" else {"summary": []} if kind == "reasoning" else {}
            answer.append({"id": f"item_{len(out)}_{len(answer)}", "status": "completed", **extra, **item, "type": kind,
                           **({"content": content} if kind == "message" else {})})
    said()
    return out


def gemini(request, answer_v, model):
    from google.genai.types import GenerateContentResponse
    from langchain_google_genai.chat_models import _response_to_result

    out = []
    for content in request["contents"]:
        if content["role"] == "model":
            body = {"candidates": [{"content": content, "finishReason": "STOP"}], "modelVersion": model}
            out.append(_response_to_result(GenerateContentResponse.model_validate(body)).generations[0].message)
            continue
        for part in content["parts"]:
            if "functionResponse" in part:
                given = part["functionResponse"]
                out.append(ToolMessage(json.dumps(given["response"]), tool_call_id=given.get("id", ""), name=given["name"]))
        text = "".join(part.get("text", "") for part in content["parts"])
        if text:
            out.append(HumanMessage(text))
    return out


def save(name, messages):
    text = ",\n".join(json.dumps(message, ensure_ascii=False) for message in messages)
    (HERE / f"{name}.json").write_text(f"[\n{text}\n]\n")


def main(recordings, transcripts):
    HERE.mkdir(exist_ok=True)
    makers = {"anthropic_messages": anthropic, "openai_chat": openai, "openai_responses": responses}
    names = ["anthropic_messages_pos_00", "anthropic_messages_pos_04", "anthropic_messages_pos_18", "openai_chat_pos_00",
             "openai_chat_pos_09", "openai_responses_pos_01", "gemini_pos_00", "gemini_pos_07"]
    for name in names:
        recorded = json.loads((pathlib.Path(recordings) / f"{name}.json").read_text())
        make = makers.get(recorded["format"])
        for version in ("v0", "v1"):
            if make is None:
                model = recorded["uri"].rsplit("/", 1)[1].split(":")[0]
                messages = gemini(recorded["request"], version, model)
            else:
                wanted = "responses/v1" if recorded["format"] == "openai_responses" else version
                messages = make(recorded["request"], wanted)
            if version == "v0":
                save(f"{name}-v0-dict", messages_to_dict(messages))
            else:
                # What LangChain does with every answer of a model whose `output_version` is v1.
                blocks = [_update_message_content_to_blocks(m, "v1") if isinstance(m, AIMessage) else m for m in messages]
                save(f"{name}-v1-dumpd", [dumpd(message) for message in blocks])
    kept = 0
    for line in pathlib.Path(transcripts).read_text().splitlines():
        conversation = json.loads(line)
        messages = convert_to_messages(conversation["messages"])
        assert messages_from_dict(messages_to_dict(messages)) == messages
        calls = sum(bool(getattr(message, "tool_calls", None)) for message in messages)
        if calls >= 3 and len(messages) < 24 and kept < 2:
            kept += 1
            # The list as OpenAI Chat takes it is kept beside it: what is read of either must be the same.
            save(f"{conversation['id']}-openai", conversation["messages"])
            save(f"{conversation['id']}-dict", messages_to_dict(messages))
            save(f"{conversation['id']}-dump", [message.model_dump() for message in messages])


def check(paths):
    for path in paths:
        messages = messages_from_dict(json.loads(pathlib.Path(path).read_text()))
        assert all(load(dumpd(message), allowed_objects="messages") == message for message in messages)
        for message in messages:
            message.content_blocks
        print(f"{path}: {len(messages)} messages, taken ({sum(isinstance(m, AIMessage) for m in messages)} answers)")


if __name__ == "__main__":
    check(sys.argv[2:]) if sys.argv[1] == "--check" else main(*sys.argv[1:])
