// The Vercel AI SDK: `pruneMessages`, and the requests that `generateText` makes of what it leaves, with the provider packages
// and a `fetch` that keeps the body and answers "ok". Reads the damaged histories on standard input, writes a line for each request.

import { createInterface } from 'node:readline';
import { generateText, jsonSchema, pruneMessages, tool } from 'ai';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';

globalThis.AI_SDK_LOG_WARNINGS = false;

let body;
const recorded = answer => async (_, options) => {
  body = JSON.parse(options.body);
  return new Response(JSON.stringify(answer), { headers: { 'content-type': 'application/json' } });
};

const openai = createOpenAI({
  apiKey: 'none',
  fetch: recorded({
    id: 'a',
    object: 'chat.completion',
    created: 0,
    model: 'none',
    choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
});
const responses = createOpenAI({
  apiKey: 'none',
  fetch: recorded({
    id: 'a',
    object: 'response',
    created_at: 0,
    model: 'none',
    output: [
      { type: 'message', id: 'm', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'ok', annotations: [] }] },
    ],
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
});
const google = createGoogleGenerativeAI({
  apiKey: 'none',
  fetch: recorded({ candidates: [{ content: { role: 'model', parts: [{ text: 'ok' }] }, finishReason: 'STOP' }] }),
});
const anthropic = createAnthropic({
  apiKey: 'none',
  fetch: recorded({
    id: 'a',
    type: 'message',
    role: 'assistant',
    model: 'none',
    content: [{ type: 'text', text: 'ok' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
});
const WIRES = {
  'openai-chat': model => openai.chat(model),
  'openai-responses': model => responses.responses(model),
  anthropic: model => anthropic(model),
  gemini: model => google(model),
};

// The options of pruneMessages, by themselves and behind a slice: it has none that bounds how many messages are left.
const prune = toolCalls => (messages, window) =>
  pruneMessages({ messages, reasoning: 'all', toolCalls: toolCalls?.replace('N', window), emptyMessages: 'remove' });
const sliced = then => (messages, window) => then(messages.slice(-window), window);
const slicedAfter = first => (messages, window) => first(messages, window).slice(-window);
const SETTINGS = {
  'no options (default)': messages => pruneMessages({ messages }),
  'slice, no options': sliced(messages => pruneMessages({ messages })),
};
for (const toolCalls of ['before-last-message', 'before-last-3-messages', 'before-last-N-messages', 'all']) {
  SETTINGS[`toolCalls: ${toolCalls}`] = prune(toolCalls);
  SETTINGS[`slice, toolCalls: ${toolCalls}`] = sliced(prune(toolCalls));
}
SETTINGS['toolCalls: all, slice behind it'] = slicedAfter(prune('all'));

// Arguments as the SDK stores them (`parseToolCall`, `toResponseMessages`): blank ones are {}, what is not JSON or no object is {}.
function input(text) {
  if (text.trim() === '') return {};
  try {
    const value = JSON.parse(text);
    return typeof value === 'object' ? value : {};
  } catch {
    return {};
  }
}

function modelMessage(message, names) {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.content };
    case 'user':
      return { role: 'user', content: typeof message.content === 'string' ? message.content : message.content.map(part) };
    case 'assistant': {
      const said = message.content ? [{ type: 'text', text: message.content }] : [];
      const calls = (message.tool_calls ?? []).map(call => {
        names.set(call.id, call.function.name);
        return { type: 'tool-call', toolCallId: call.id, toolName: call.function.name, input: input(call.function.arguments) };
      });
      return { role: 'assistant', content: [...said, ...calls] };
    }
    case 'tool': {
      const toolName = names.get(message.tool_call_id) ?? message.name;
      const output = { type: 'text', value: message.content };
      return { role: 'tool', content: [{ type: 'tool-result', toolCallId: message.tool_call_id, toolName, output }] };
    }
  }
}

function part(part) {
  if (part.type === 'text') return part;
  const [mediaType, image] = part.image_url.url.replace('data:', '').split(';base64,');
  return { type: 'image', image, mediaType };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, window, wires, tools: toolNames, messages: all } = JSON.parse(line);
  const tools = Object.fromEntries(
    toolNames.map(name => [name, tool({ description: name, inputSchema: jsonSchema({ type: 'object', properties: {} }) })]),
  );
  const leading = all.findIndex(message => message.role !== 'system');
  const instructions = all.slice(0, leading).map(message => message.content).join('\n\n');
  for (const [wire, model] of Object.entries(wires)) {
    if (!WIRES[wire]) continue;
    for (const [setting, pruned] of Object.entries(SETTINGS)) {
      const names = new Map();
      const messages = all.slice(leading).map(message => modelMessage(message, names));
      const made = { id, setting, bounded: setting.includes('slice'), wire };
      body = undefined;
      try {
        await generateText({
          model: WIRES[wire](model),
          instructions,
          messages: pruned(messages, window),
          tools,
          allowSystemInMessages: true,
          maxOutputTokens: 1024,
          maxRetries: 0,
        });
      } catch (error) {
        made.error = error.name;
      }
      if (body !== undefined) {
        made.request = body;
        delete made.error;
      }
      process.stdout.write(JSON.stringify(made) + '\n');
    }
  }
}
