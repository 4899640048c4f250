// Progress and cancellation
import { Client, Server } from "@tenon/sdk";
import { createInMemoryTransports } from "@tenon/sdk/memory";

const server = new Server({ name: "builder", version: "1.0.0" });
server.addTool({ name: "build" }, async (_, ctx) => {
  for (let step = 1; step <= 5; step++) {
    ctx.signal.throwIfAborted();
    await ctx.progress(step, 5, `step ${step}`);
  }
  return "Built.";
});
server.addTool({ name: "wait" }, (_, ctx) => {
  return new Promise((_resolve, reject) => {
    ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason));
  });
});

const [near, far] = createInMemoryTransports();
await server.connect(far);
const client = new Client({ name: "program", version: "1.0.0" }, { revisions: ["2026-07-28"] });
const session = await client.connect(near);

const { content } = await session.callTool(
  { name: "build" },
  { onProgress: ({ progress, total, message }) => console.log(`${progress}/${total} ${message}`) },
);
console.log(content[0].text);

const abort = new AbortController();
setTimeout(() => abort.abort(new Error("The user has changed their mind.")), 100);
await session
  .callTool({ name: "wait" }, { signal: abort.signal })
  .catch((error) => console.log(error.message));

await session.close();
