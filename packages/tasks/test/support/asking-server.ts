import { Server } from "@tenon/mcp";
import { createTaskEngine } from "@tenon/tasks";
import { tasks } from "@tenon/tasks/server";

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const question = { message: "Name?", requestedSchema: form } as const;
const prompt = {
  messages: [{ role: "user" as const, content: { type: "text" as const, text: "Write." } }],
  maxTokens: 10,
};

/** A server whose tools ask the client, in requests that the client may keep as tasks. */
export function createAskingServer(onError?: (error: unknown) => void): Server {
  const server = new Server({ name: "asking", version: "1.0.0" }, { onError });
  server.use(tasks({ engine: createTaskEngine({ onError }) }));
  server.addTool({ name: "in-session" }, async (_, { session }) => {
    const seen: string[] = [];
    const outcome = await session?.elicit(question, {
      task: { ttlMs: 90_000 },
      onTask: ({ status, ttlMs }) => void seen.push(`${status} ${ttlMs}`),
    });
    return JSON.stringify([outcome, seen.at(0), seen.at(-1)]);
  });
  server.addTool({ name: "in-request" }, async (_, context) =>
    JSON.stringify(await context.elicit(question, { task: true })),
  );
  server.addTool({ name: "sampled" }, async (_, context) => {
    const { content } = await context.sample(prompt, { task: true });
    return JSON.stringify(content);
  });
  server.addTool({ name: "limited" }, async (_, context) => {
    const waiting = context.elicit(question, { task: true, timeoutMs: 20 });
    return JSON.stringify(await waiting.catch((error: unknown) => (error as { code?: unknown }).code));
  });
  return server;
}
