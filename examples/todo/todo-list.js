'use strict';
// One session's to-do list, as two tools.

const { defineTool, failure } = require('mini-me-client');

/** The tools of a new, empty list. */
function todoTools() {
  const items = [];
  const add = defineTool({
    name: 'add_todo',
    description: "Add one item to the user's to-do list.",
    method: '_com.example/todo/add',
    inputSchema: {
      type: 'object',
      properties: { item: { type: 'string', description: 'What is to be done.' } },
      required: ['item'],
    },
    handle: ({ item }) => {
      if (items.includes(item)) return failure(`"${item}" is on the list already`);
      items.push(item);
      return `added "${item}"`;
    },
  });
  const list = defineTool({
    name: 'list_todos',
    description: "Show all items of the user's to-do list.",
    method: '_com.example/todo/list',
    handle: () => items.map((item, index) => `${index + 1}. ${item}`).join('\n') || 'nothing to do',
  });
  return [add, list];
}

module.exports = { todoTools };
