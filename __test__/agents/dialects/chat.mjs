// OpenAI's chat completions.

import { begin, sendJson, textOf, timed } from './stream.mjs';

const KINDS = { user: 'user', tool: 'result' };
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };

export const chat = {
  read({ tools = [], messages, stream = false }) {
    return {
      isStreamed: stream,
      tools: tools.map((tool) => tool.function.name),
      items: messages.map(({ role, content }) => ({
        kind: KINDS[role] ?? 'other',
        text: textOf(content),
      })),
    };
  },

  async write({ isStreamed }, decision, response, number) {
    const base = { id: `chat-${number}`, created: 1, model: 'fake-model' };
    const calls = decision.call && [
      {
        index: 0,
        id: `call-${number}`,
        type: 'function',
        function: { name: decision.call.name, arguments: JSON.stringify(decision.call.args) },
      },
    ];
    const finish_reason = calls === undefined ? 'stop' : 'tool_calls';
    if (!isStreamed) {
      const content = calls === undefined ? decision.chunks.join('') : null;
      const message = { role: 'assistant', content, ...(calls && { tool_calls: calls }) };
      const choices = [{ index: 0, finish_reason, message }];
      sendJson(response, { ...base, object: 'chat.completion', choices, usage: USAGE });
      return;
    }
    const event = begin(response);
    const send = (delta, finish = null, more = {}) => {
      const choices = [{ index: 0, delta, finish_reason: finish }];
      event({ ...base, object: 'chat.completion.chunk', choices, ...more });
    };
    send({ role: 'assistant', content: calls ? null : '', ...(calls && { tool_calls: calls }) });
    if (calls === undefined) {
      for await (const content of timed(decision, response)) send({ content });
    }
    send({}, finish_reason, { usage: USAGE });
    response.end('data: [DONE]\n\n');
  },
};
