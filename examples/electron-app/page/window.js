// The page: the notes on the left, the chat on the right. What is typed is saved when it rests.

require('../../chat/page/chat');
const { element } = require('../../chat/page/markdown');

const REST_MS = 400;

const host = globalThis.chatHost;
const list = document.getElementById('list');
const title = document.getElementById('title');
const text = document.getElementById('text');
const remove = document.getElementById('delete');
let notes = [];
/** The note in the editor; undefined while it was never saved. */
let current;
/** The one of `notes` that is in the editor; undefined for one that was never saved. */
let shown;
let timer;

host.listen((message) => {
  if (message.type !== 'notes') return;
  notes = message.notes;
  const isGone = shown !== undefined && !notes.some(({ id }) => id === shown);
  if (isGone) current = undefined;
  current ??= notes[0]?.id;
  drawList();
  // Not over what is being typed: that is saved next, and wins.
  if (timer === undefined) show(notes.find(({ id }) => id === current));
});

document.getElementById('new').addEventListener('click', () => {
  save();
  current = crypto.randomUUID();
  show(undefined);
  drawList();
  title.focus();
});

document.getElementById('new-chat').addEventListener('click', () => host.post({ type: 'new' }));

remove.addEventListener('click', () => {
  save();
  host.post({ type: 'remove', id: current });
});

for (const field of [title, text]) {
  field.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(save, REST_MS);
  });
  field.addEventListener('blur', save);
}

function save() {
  if (timer === undefined) return;
  clearTimeout(timer);
  timer = undefined;
  current ??= crypto.randomUUID();
  const note = { id: current, title: title.value.trim() || 'Untitled', text: text.value };
  host.post({ type: 'save', note });
}

function drawList() {
  list.replaceChildren(
    ...notes.map((note) => {
      const preview = element('span', { class: 'preview' }, note.text.split('\n', 1)[0] || 'empty');
      const button = element(
        'button',
        { type: 'button' },
        element('strong', {}, note.title),
        preview,
      );
      if (note.id === current) button.setAttribute('aria-current', 'true');
      button.addEventListener('click', () => {
        save();
        current = note.id;
        show(note);
        drawList();
      });
      return element('li', {}, button);
    }),
  );
}

function show(note) {
  shown = note?.id;
  remove.hidden = note === undefined;
  if (title.value !== (note?.title ?? '')) title.value = note?.title ?? '';
  if (text.value !== (note?.text ?? '')) text.value = note?.text ?? '';
}
