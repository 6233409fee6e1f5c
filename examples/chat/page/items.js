'use strict';
// One element for each item of the transcript.

const { icon } = require('./icons');
const { element, markdown } = require('./markdown');

const STATUS_WORDS = {
  pending: 'waiting',
  in_progress: 'running',
  completed: 'done',
  failed: 'failed',
};

/**
 * @param {{ kind: string, [member: string]: any }} item
 * @param {(optionId: string) => void} decide
 */
function draw(item, decide) {
  const drawn = DRAW[item.kind](item, decide);
  drawn.dataset.item = item.id;
  return drawn;
}

const DRAW = {
  question: ({ text }) => element('div', { class: 'question' }, text),
  answer: ({ text }) => element('div', { class: 'answer' }, markdown(text)),
  thought: ({ text }) => element('div', { class: 'thought' }, text),
  note: ({ text }) => element('div', { class: 'note', role: 'status' }, text),
  error: ({ text }) =>
    element('div', { class: 'error', role: 'alert' }, icon('error'), element('span', {}, text)),
  plan: ({ entries }) =>
    element(
      'ol',
      { class: 'plan' },
      ...entries.map(({ content, status }) => element('li', { class: status }, content)),
    ),
  tool: drawTool,
  permission: drawPermission,
};

function drawTool({ title, status = 'pending', input, output }) {
  const words = STATUS_WORDS[status] ?? status;
  const summary = element(
    'summary',
    {},
    icon(status === 'completed' ? 'check' : status === 'failed' ? 'error' : 'running'),
    element('span', { class: 'name' }, plainTitle(title)),
    element('span', { class: 'status' }, words),
  );
  const parts = [...part('Input', input), ...part('Output', output)];
  return element('details', { class: `tool ${status}` }, summary, ...parts);
}

function part(label, text) {
  if (!text) return [];
  return [element('div', { class: 'label' }, label), element('pre', {}, text)];
}

function drawPermission({ title, about, input, options, decision }, decide) {
  const name = plainTitle(title);
  if (decision !== undefined) {
    return element(
      'div',
      { class: 'note decided' },
      icon('shield'),
      element('span', {}, `${name}: ${decision}`),
    );
  }
  const buttons = options.map(({ optionId, name: label, kind }) => {
    const isFirst = kind === 'allow_once';
    const button = element('button', { class: isFirst ? 'primary' : 'secondary' }, label);
    button.addEventListener('click', () => decide(optionId));
    return button;
  });
  const question = element('span', {}, 'Run ', element('strong', {}, name), '?');
  const isEmpty = Object.keys(input).length === 0;
  return element(
    'div',
    { class: 'permission', role: 'group', 'aria-label': `Permission for ${name}` },
    element('div', { class: 'ask' }, icon('shield'), question),
    ...(about ? [element('div', { class: 'about' }, about)] : []),
    ...(isEmpty ? [] : [element('pre', {}, JSON.stringify(input, undefined, 2))]),
    element('div', { class: 'buttons' }, ...buttons),
  );
}

/** mm calls a lent tool `client: <name>`: for a person its name is enough. */
function plainTitle(title) {
  return title.replace(/^client: /, '');
}

module.exports = { draw };
