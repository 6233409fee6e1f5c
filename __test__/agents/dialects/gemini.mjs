// Gemini's generateContent, streamed or not.

import { begin, sendJson, timed } from './stream.mjs';

const USAGE = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };

export const gemini = {
  read({ tools = [], contents }, url) {
    const items = contents.flatMap(({ role, parts }) =>
      parts.map(({ functionResponse, text = '' }) => {
        if (functionResponse) return { kind: 'result', text: JSON.stringify(functionResponse) };
        return { kind: role === 'user' ? 'user' : 'other', text };
      }),
    );
    const declared = tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations);
    return {
      isStreamed: url.includes('streamGenerateContent'),
      tools: declared.map(({ name }) => name),
      items,
    };
  },

  async write({ isStreamed }, decision, response, number) {
    const message = (part, more) => ({
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, ...more }],
      usageMetadata: USAGE,
      modelVersion: 'fake',
    });
    const last = (part) => message(part, { finishReason: 'STOP' });
    const call = decision.call && {
      functionCall: { ...decision.call, id: `call-${number}` },
    };
    if (!isStreamed) {
      sendJson(response, last(call ?? { text: decision.chunks.join('') }));
      return;
    }
    const send = begin(response);
    if (call === undefined) {
      for await (const text of timed(decision, response)) send(message({ text }));
    }
    send(last(call ?? { text: '' }));
    response.end();
  },
};
