"""LangChain: `trim_messages`, and the requests that langchain-openai and langchain-anthropic make of what it leaves.

The histories are read by langchain-openai's own converter for what OpenAI answers, so that a message is what LangChain would have
stored. Nothing is sent. Reads the damaged histories on standard input, writes a line for each request.
"""

import json
import sys
import warnings

from langchain_anthropic import ChatAnthropic
from langchain_core.messages import trim_messages
from langchain_core.messages.utils import count_tokens_approximately
from langchain_openai import ChatOpenAI
from langchain_openai.chat_models.base import _convert_dict_to_message

WIRES = {
    "openai-chat": lambda model: ChatOpenAI(model=model, api_key="none"),
    "anthropic": lambda model: ChatAnthropic(model=model, api_key="none", max_tokens=1024),
}

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
    "the same as recommended, token_counter=approximate": by_tokens(**RECOMMENDED),
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
                    made["request"] = model._get_request_payload(trim(messages, case["window"]), **bound)
                    line = json.dumps(made)
                except Exception as error:
                    made.pop("request", None)
                    made["error"] = f"{type(error).__name__}: {error}".splitlines()[0][:100]
                    line = json.dumps(made)
                print(line)


main()
