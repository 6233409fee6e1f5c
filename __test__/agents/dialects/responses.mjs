// OpenAI's responses, streamed. Tools of an MCP server come in a namespace: `mcp__server::tool` here.

import { begin, textOf, timed } from './stream.mjs';

const USAGE = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 15,
};

export const responses = {
  read({ tools = [], input }) {
    const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
    return {
      tools: tools.flatMap(({ type, name, tools: inner }) =>
        type === 'namespace' ? inner.map((tool) => `${name}::${tool.name}`) : [name ?? type],
      ),
      items: items.map((item) => {
        if (item.type?.endsWith('_output')) return { kind: 'result', text: textOf(item.output) };
        return { kind: item.role === 'user' ? 'user' : 'other', text: textOf(item.content) };
      }),
    };
  },

  async write(_, decision, response, number) {
    const event = begin(response);
    let place = 0;
    const send = (type, more) => {
      event({ type, ...more, sequence_number: place }, type);
      place += 1;
    };
    const base = { id: `response-${number}`, object: 'response', created_at: 1, model: 'fake' };
    send('response.created', { response: { ...base, status: 'in_progress', output: [] } });
    const item = decision.call
      ? writeCall(send, decision.call, number)
      : await writeText(send, decision, response, number);
    send('response.output_item.done', { output_index: 0, item });
    const whole = { ...base, status: 'completed', output: [item], usage: USAGE };
    send('response.completed', { response: whole });
    response.end();
  },
};

function writeCall(send, { name, args }, number) {
  const [namespace, bare] = name.includes('::') ? name.split('::') : [undefined, name];
  const given = JSON.stringify(args);
  const item = {
    type: 'function_call',
    id: `item-${number}`,
    call_id: `call-${number}`,
    name: bare,
    ...(namespace && { namespace }),
    arguments: given,
    status: 'completed',
  };
  const begun = { ...item, arguments: '', status: 'in_progress' };
  send('response.output_item.added', { output_index: 0, item: begun });
  const place = { item_id: item.id, output_index: 0 };
  send('response.function_call_arguments.delta', { ...place, delta: given });
  send('response.function_call_arguments.done', { ...place, arguments: given });
  return item;
}

async function writeText(send, decision, response, number) {
  const item = { type: 'message', id: `item-${number}`, role: 'assistant' };
  const begun = { ...item, status: 'in_progress', content: [] };
  send('response.output_item.added', { output_index: 0, item: begun });
  const place = { item_id: item.id, output_index: 0, content_index: 0 };
  const part = { type: 'output_text', text: '', annotations: [] };
  send('response.content_part.added', { ...place, part });
  let text = '';
  for await (const delta of timed(decision, response)) {
    text += delta;
    send('response.output_text.delta', { ...place, delta });
  }
  send('response.output_text.done', { ...place, text });
  return { ...item, status: 'completed', content: [{ ...part, text }] };
}
