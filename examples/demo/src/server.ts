// node server.js <name> [--http]: one process of the demo's server, over standard input and output
// or over HTTP. DEMO_SECRET is the key that all processes share.
import { setTimeout as sleep } from "node:timers/promises";

import { createStreamableHandler } from "@tenon/sdk/http";
import { listen } from "@tenon/sdk/node";
import { accepted, Server } from "@tenon/sdk/server";
import { StdioTransport } from "@tenon/sdk/stdio";
import { z } from "zod";

const [name = "A", mode] = process.argv.slice(2);
const secret = Buffer.from(process.env["DEMO_SECRET"] ?? "", "base64");

const server = new Server(
  { name: "travel", version: "1.0.0" },
  secret.length === 0 ? {} : { interaction: { stateKeys: [{ id: "demo", secret }] } },
);

server.addTool(
  {
    name: "plan_trip",
    description: "Searches for trains, requests the destination from the user, and books.",
    input: z.object({ days: z.number().int().min(1) }),
  },
  async ({ days }, ctx) => {
    // A step runs once, whichever process continues the call.
    const searched = await ctx.step("search", async () => {
      for (const [index, line] of ["coast", "lakes", "hills"].entries()) {
        await sleep(50, undefined, { signal: ctx.signal });
        await ctx.progress(index + 1, 3, line);
      }
      return name;
    });
    const answer = await ctx.elicit({
      message: `Choose the destination for ${days} days.`,
      requestedSchema: z.object({ city: z.string().min(1).default("Oslo") }),
    });
    return `Process ${searched} searched, process ${name} booked ${accepted(answer).city}.`;
  },
);

if (mode === "--http") {
  const { url } = await listen(createStreamableHandler({ getServer: () => server }), { port: 0 });
  console.log(url.href);
} else {
  await server.run(new StdioTransport());
}
