'use strict';
// The page of the chat: draws what the host sends, sends what is typed and clicked.

const { connect } = require('./host');
const { icon } = require('./icons');
const { draw } = require('./items');
const { element, markdown } = require('./markdown');

const host = connect();
/** The element the chat fills; what it says at first is in its attributes. @type {HTMLElement} */
const root = document.querySelector('.chat');
const items = new Map();
let state = { agent: '', status: 'idle' };

const transcript = element('div', { class: 'transcript', role: 'log', 'aria-live': 'polite' });
const welcome = drawWelcome(root.dataset);
const input = element('textarea', { rows: '1', 'aria-label': 'Your question' });
const send = element('button', { class: 'send', type: 'submit' });
const agent = element('span', { class: 'agent' });
const form = element('form', {}, input, element('div', { class: 'bar' }, agent, send));
const scroll = element('main', {}, welcome, transcript);
root.append(scroll, form);
input.placeholder = root.dataset.placeholder ?? 'Ask';

const RECEIVE = {
  reset(message) {
    items.clear();
    transcript.replaceChildren();
    for (const item of message.items) put(item);
    showState(message.state);
    scroll.scrollTop = scroll.scrollHeight;
  },
  put: ({ item }) => following(() => put(item)),
  append({ id, text }) {
    const item = items.get(id);
    if (item !== undefined) following(() => put({ ...item, text: item.text + text }));
  },
  state: (message) => showState(message.state),
};

host.listen((message) => RECEIVE[message.type]?.(message));
host.post({ type: 'ready' });
input.focus();

function put(item) {
  const old = transcript.querySelector(`[data-item="${item.id}"]`);
  const drawn = draw(item, (optionId) => host.post({ type: 'decide', id: item.id, optionId }));
  if (old instanceof HTMLDetailsElement) drawn.open = old.open;
  if (old === null) transcript.append(drawn);
  else old.replaceWith(drawn);
  items.set(item.id, item);
  welcome.hidden = true;
}

/** Stays at the end if it was there: who has scrolled up is reading. */
function following(change) {
  const isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < 40;
  change();
  if (isAtEnd) scroll.scrollTop = scroll.scrollHeight;
}

function showState(next) {
  state = next;
  const isRunning = state.status === 'running';
  welcome.hidden = items.size > 0;
  agent.textContent = state.agent;
  agent.title = state.agent;
  root.dataset.status = state.status;
  send.replaceChildren(icon(isRunning ? 'stop' : 'send'));
  send.setAttribute('aria-label', isRunning ? 'Stop' : 'Send');
  send.title = isRunning ? 'Stop (Escape)' : 'Send (Enter)';
  send.disabled = !isRunning && input.value.trim() === '';
}

function submit() {
  const text = input.value.trim();
  if (state.status === 'running') host.post({ type: 'cancel' });
  else if (text !== '') {
    input.value = '';
    resize();
    host.post({ type: 'prompt', text });
    scroll.scrollTop = scroll.scrollHeight;
  }
}

function resize() {
  input.style.height = 'auto';
  input.style.height = `${Math.min(input.scrollHeight, 160)}px`;
  send.disabled = state.status !== 'running' && input.value.trim() === '';
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  submit();
});
input.addEventListener('input', resize);
input.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
    event.preventDefault();
    // A question typed while a turn runs waits for its end; only the button stops it.
    if (state.status !== 'running') submit();
  }
  if (event.key === 'Escape' && state.status === 'running') host.post({ type: 'cancel' });
});

/** What to ask at first: a line of the host's each. */
function drawWelcome({ title = '', suggestions = '' }) {
  const buttons = suggestions.split('|').map((text) => {
    const button = element('button', { class: 'suggestion', type: 'button' }, text);
    button.addEventListener('click', () => host.post({ type: 'prompt', text }));
    return button;
  });
  const head = element('div', { class: 'title' }, icon('spark'), element('h2', {}, title));
  return element(
    'section',
    { class: 'welcome' },
    head,
    markdown(root.dataset.about ?? ''),
    ...buttons,
  );
}
