"""LangChain: `trim_messages`, and the requests that LangChain's packages for the providers make of what it leaves.

The histories are read by langchain-openai's own converter for what OpenAI answers, so that a message is what LangChain would have
stored. Nothing is sent. Reads the damaged histories on standard input, writes a line for each request.
"""

import json
import sys
import warnings

import httpx
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import trim_messages
from langchain_core.messages.utils import count_tokens_approximately
from langchain_google_genai import ChatGoogleGenerativeAI
from langchain_openai import ChatOpenAI
from langchain_openai.chat_models.base import _convert_dict_to_message

# What Gemini's client would have sent; it has no method that only makes the payload.
_sent = []


def _answer(request):
    _sent.append(json.loads(request.content))
    content = {"role": "model", "parts": [{"text": "ok"}]}
    return httpx.Response(200, json={"candidates": [{"content": content, "finishReason": "STOP"}]})


def _gemini(model):
    client = {"transport": httpx.MockTransport(_answer)}
    return ChatGoogleGenerativeAI(model=model, google_api_key="none", client_args=client, max_retries=1)


WIRES = {
    "openai-chat": lambda model: ChatOpenAI(model=model, api_key="none"),
    "openai-responses": lambda model: ChatOpenAI(model=model, api_key="none", use_responses_api=True),
    "anthropic": lambda model: ChatAnthropic(model=model, api_key="none", max_tokens=1024),
    "gemini": _gemini,
}


def payload(model, messages, bound):
    if not isinstance(model, ChatGoogleGenerativeAI):
        return model._get_request_payload(messages, **bound)
    _sent.clear()
    try:
        model.invoke(messages, **bound)
    except Exception:
        if not _sent:
            raise
    return _sent[0]


# The reference's example for tool use names all of them; `defaults` gives what must be given.
RECOMMENDED = {"strategy": "last", "start_on": "human", "end_on": ("human", "tool"), "include_system": True}


def by_count(**options):
    """The window in messages; the system message counts as one where it is included."""

    def trim(messages, window):
        most = window + (1 if options.get("include_system") else 0)
        return trim_messages(messages, max_tokens=most, token_counter=len, allow_partial=False, **options)

    return trim


def by_tokens(**options):
    """The window in approximate tokens: what the newest messages and the system message cost."""

    def trim(messages, window):
        most = count_tokens_approximately(messages[:1]) + count_tokens_approximately(messages[1:][-window:])
        return trim_messages(messages, max_tokens=most, token_counter="approximate", allow_partial=False, **options)

    return trim


SETTINGS = {
    "token_counter=len (default)": by_count(),
    "include_system": by_count(include_system=True),
    "start_on=human, include_system": by_count(start_on="human", include_system=True),
    "start_on=(human, ai), include_system": by_count(start_on=("human", "ai"), include_system=True),
    "start_on=human, end_on=(human, tool), include_system": by_count(**RECOMMENDED),
    "start_on=human, end_on=human, include_system": by_count(start_on="human", end_on="human", include_system=True),
    "start_on=human, end_on=(human, tool), include_system, token_counter=approximate": by_tokens(**RECOMMENDED),
    "no window": lambda messages, window: messages,
}


def main():
    warnings.simplefilter("ignore")
    models = {}
    for line in sys.stdin:
        case = json.loads(line)
        tools = [
            {
                "type": "function",
                "function": {"name": name, "description": name, "parameters": {"type": "object", "properties": {}}},
            }
            for name in case["tools"]
        ]
        for wire, name in case["wires"].items():
            if wire not in models:
                models[wire] = WIRES[wire](name)
            model = models[wire]
            bound = model.bind_tools(tools).kwargs
            for setting, trim in SETTINGS.items():
                made = {"id": case["id"], "setting": setting, "bounded": setting != "no window", "wire": wire}
                try:
                    messages = [_convert_dict_to_message(message) for message in case["messages"]]
                    made["request"] = payload(model, trim(messages, case["window"]), bound)
                    line = json.dumps(made)
                except Exception as error:
                    made.pop("request", None)
                    made["error"] = f"{type(error).__name__}: {error}".splitlines()[0][:100]
                    line = json.dumps(made)
                print(line)


main()
