// Makes the fixtures of the Vercel AI SDK out of recorded requests, with the SDK itself: each recorded answer of a request is
// given to the provider's package as if the provider had just sent it, the recorded outcomes are what the tools return, and what
// is kept is the SDK's own `response.messages` and the UIMessages that `readUIMessageStream` makes of it.
//
//   npm install ai@6.0.326 @ai-sdk/openai@3.0.141 @ai-sdk/anthropic@3.0.140 @ai-sdk/google@3.0.141 zod@4.6.7   (in a folder NODE)
//   node make.mjs NODE RECORDINGS             writes vercel/*.json beside this file
//   node make.mjs NODE --check FILE KIND      holds a list that Briefing wrote (`ui` or `model`) against the SDK's own schemas
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { dirname, join } from 'node:path';

const here = dirname(new URL(import.meta.url).pathname);
const [node, recordings, file, kind] = process.argv.slice(2);
const load = name => import(pathToFileURL(createRequire(join(node, 'x.js')).resolve(name)));
const ai = await load('ai');

if (recordings === '--check') {
  const list = JSON.parse(readFileSync(file));
  if (kind === 'ui') {
    const seen = await ai.safeValidateUIMessages({ messages: list });
    if (!seen.success) throw seen.error;
    await ai.convertToModelMessages(list);
  } else {
    for (const message of list) ai.modelMessageSchema.parse(message);
  }
  console.log(`${file}: ${list.length} messages, taken`);
  process.exit(0);
}

const { createAnthropic } = await load('@ai-sdk/anthropic');
const { createOpenAI } = await load('@ai-sdk/openai');
const { createGoogleGenerativeAI } = await load('@ai-sdk/google');

const json = text => { try { return JSON.parse(text); } catch { return text; } };
const plain = content => typeof content === 'string' ? content : (content ?? []).map(part => part.text ?? '').join('');

// Each reader gives the turns of a recording: what is put in, the answers as bodies of responses, the outcomes by call id.
const readers = {
  anthropic_messages(request) {
    const turns = [];
    for (const { role, content } of request.messages) {
      if (role === 'assistant') {
        turns.at(-1).answers.push(typeof content === 'string' ? [{ type: 'text', text: content }] : content);
        continue;
      }
      const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
      const results = blocks.filter(block => block.type === 'tool_result');
      for (const { tool_use_id, content, is_error } of results) turns.at(-1).outcomes[tool_use_id] = { value: plain(content), is_error };
      if (results.length < blocks.length) turns.push({ input: plain(blocks.filter(block => block.type === 'text')), answers: [], outcomes: {} });
    }
    return { system: plain(request.system), turns };
  },
  openai_chat(request) {
    const turns = [], system = [];
    for (const message of request.messages) {
      if (message.role === 'system') system.push(message.content);
      else if (message.role === 'user') turns.push({ input: plain(message.content), answers: [], outcomes: {} });
      else if (message.role === 'assistant') turns.at(-1).answers.push(message);
      else turns.at(-1).outcomes[message.tool_call_id] = { value: plain(message.content) };
    }
    return { system: system.join('\n\n'), turns };
  },
  openai_responses(request) {
    const turns = [];
    let answer = null;
    for (const item of typeof request.input === 'string' ? [{ role: 'user', content: request.input }] : request.input) {
      const type = item.type ?? 'message';
      if (type === 'message' && item.role !== 'assistant') {
        answer = null;
        if (item.role === 'user') turns.push({ input: plain(item.content), answers: [], outcomes: {} });
      } else if (type === 'function_call_output') {
        turns.at(-1).outcomes[item.call_id] = { value: plain(item.output) };
        answer = null;
      } else if (['message', 'reasoning', 'function_call'].includes(type)) {
        if (!answer) turns.at(-1).answers.push(answer = []);
        const content = typeof item.content === 'string' ? [{ type: 'output_text', text: item.content, annotations: [] }] : item.content;
        answer.push({ id: `item_${turns.length}_${answer.length}`, summary: [], status: 'completed', ...item, type, ...(type === 'message' ? { content } : {}) });
      }
    }
    return { system: plain(request.instructions), turns };
  },
  gemini(request) {
    const turns = [];
    let count = 0;
    for (const { role, parts } of request.contents) {
      if (role === 'model') { turns.at(-1).answers.push(parts); continue; }
      const results = parts.filter(part => part.functionResponse);
      for (const { functionResponse } of results) (turns.at(-1).outcomes[`${functionResponse.name}`] ??= { value: functionResponse.response });
      if (!results.length) turns.push({ input: parts.map(part => part.text ?? '').join('') || 'Go on.', answers: [], outcomes: {} });
      count += 1;
    }
    return { system: plain(request.systemInstruction?.parts), turns };
  },
};

const bodies = {
  anthropic_messages: (content, model) => ({
    id: 'msg_recorded', type: 'message', role: 'assistant', model, content, stop_sequence: null,
    stop_reason: content.some(block => block.type === 'tool_use') ? 'tool_use' : 'end_turn', usage: { input_tokens: 1, output_tokens: 1 },
  }),
  openai_chat: (message, model) => ({
    id: 'chatcmpl-recorded', object: 'chat.completion', created: 1, model,
    choices: [{ index: 0, message: { content: null, ...message }, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  }),
  openai_responses: (output, model) => ({
    id: 'resp_recorded', object: 'response', created_at: 1, model, output, status: 'completed', usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  }),
  gemini: parts => ({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }], usageMetadata: {} }),
};

const models = {
  anthropic_messages: (fetch, name) => createAnthropic({ apiKey: 'none', fetch })(name),
  openai_chat: (fetch, name) => createOpenAI({ apiKey: 'none', fetch }).chat(name),
  openai_responses: (fetch, name) => createOpenAI({ apiKey: 'none', fetch }).responses(name),
  gemini: (fetch, name) => createGoogleGenerativeAI({ apiKey: 'none', fetch })(name),
};

async function make(name) {
  const { format, request, response, uri } = JSON.parse(readFileSync(join(recordings, `${name}.json`)));
  const { system, turns } = readers[format](request);
  const last = { anthropic_messages: r => r.content, openai_chat: r => r.choices?.[0].message, openai_responses: r => r.output, gemini: r => r.candidates[0].content.parts }[format];
  if (typeof response === 'object') turns.at(-1).answers.push(last(response));
  const model = request.model ?? /models\/([^:]+)/.exec(uri)[1];
  const kept = { model: [], ui: [] };
  if (system) kept.model.push({ role: 'system', content: system });
  if (system) kept.ui.push({ id: `u${kept.ui.length}`, role: 'system', parts: [{ type: 'text', text: system }] });
  for (const { input, answers, outcomes } of turns) {
    const queue = [...answers];
    const fetch = async () => new Response(JSON.stringify(bodies[format](queue.shift(), model)), { headers: { 'content-type': 'application/json' } });
    const language = ai.wrapLanguageModel({ model: models[format](fetch, model), middleware: ai.simulateStreamingMiddleware() });
    const outcome = (id, name) => outcomes[id] ?? outcomes[name] ?? { value: 'nothing recorded' };
    const tool = name => ai.dynamicTool({
      inputSchema: ai.jsonSchema({ type: 'object' }),
      execute: async (_, { toolCallId }) => {
        const { value, is_error } = outcome(toolCallId, name);
        if (is_error) throw new Error(value);
        return typeof value === 'string' ? json(value) : value;
      },
    });
    const names = JSON.stringify(answers).match(/"name":"[^"]+"/g) ?? [];
    const tools = Object.fromEntries(names.map(found => JSON.parse(`{${found}}`).name).map(name => [name, tool(name)]));
    const messages = [...kept.model, { role: 'user', content: input }];
    const result = ai.streamText({ model: language, tools, messages, stopWhen: () => queue.length === 0, onError: ({ error }) => { throw error; }, allowSystemInMessages: true });
    let shown;
    for await (const message of ai.readUIMessageStream({ stream: result.toUIMessageStream({ sendReasoning: true, sendSources: true, generateMessageId: () => `a${kept.ui.length}` }) })) shown = message;
    kept.model.push({ role: 'user', content: input }, ...(await result.response).messages);
    kept.ui.push({ id: `u${kept.ui.length}`, role: 'user', parts: [{ type: 'text', text: input }] }, shown);
  }
  mkdirSync(join(here, 'vercel'), { recursive: true });
  const save = (suffix, list) => writeFileSync(join(here, 'vercel', `${name}-${suffix}.json`), '[\n' + list.map(message => JSON.stringify(message)).join(',\n') + '\n]\n');
  save('model', kept.model);
  save('ui', kept.ui);
}

for (const name of ['anthropic_messages_pos_00', 'anthropic_messages_pos_04', 'anthropic_messages_pos_10', 'openai_chat_pos_00', 'openai_chat_pos_09',
  'openai_responses_pos_01', 'openai_responses_pos_07', 'gemini_pos_00', 'gemini_pos_07']) {
  try { await make(name); } catch (error) { console.error(name, error); process.exitCode = 1; }
}
