// The data of the app: notes, in one file of the person's.

const { randomUUID } = require('node:crypto');
const { EventEmitter } = require('node:events');
const fs = require('node:fs');
const path = require('node:path');

/** Tells of each change by the event `change`. */
class Notes extends EventEmitter {
  #file;
  /** @type {{ id: string, title: string, text: string }[]} */
  #notes;

  /** @param {string} file */
  constructor(file) {
    super();
    this.#file = file;
    this.#notes = read(file);
  }

  get all() {
    return this.#notes;
  }

  /** @param {string} title */
  find(title) {
    const wanted = title.trim().toLowerCase();
    return this.#notes.find((note) => note.title.toLowerCase() === wanted);
  }

  /** The note of that id changes; another is new. */
  save({ id = randomUUID(), title, text }) {
    this.#replace([{ id, title, text }, ...this.#others(id)]);
    return id;
  }

  remove(id) {
    this.#replace(this.#others(id));
  }

  #others(id) {
    return this.#notes.filter((note) => note.id !== id);
  }

  #replace(notes) {
    this.#notes = notes;
    fs.mkdirSync(path.dirname(this.#file), { recursive: true });
    // Whole or not at all: the old file stays until the new one is complete.
    fs.writeFileSync(`${this.#file}.new`, JSON.stringify(this.#notes, undefined, 2));
    fs.renameSync(`${this.#file}.new`, this.#file);
    this.emit('change');
  }
}

function read(file) {
  if (!fs.existsSync(file)) return [];
  return JSON.parse(fs.readFileSync(file, 'utf8'));
}

module.exports = { Notes };
