// What is bundled here: a program that shows what the model will see of a tool.
import { MiniMe } from 'mini-me-client';

const client = new MiniMe();
client.addTool({ name: 'ping', description: 'Answers.', handle: () => 'pong' });
for (const { name, description } of client.modelTools()) console.log(`${name}: ${description}`);
