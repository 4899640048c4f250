// The server over Streamable HTTP. Limits of time are short, so that what is left behind ends within the run.
import { createServer } from "node:http";

import { createNodeListener } from "@tenon/node";
import { createMemoryEventStore, createStreamableHandler } from "@tenon/transports-streamable-http/server";

import { createSoakServer, held, onError } from "./tools.mjs";

const server = createSoakServer({ keepAlive: { intervalMs: 5000, failureThreshold: 3 } });
const handler = createStreamableHandler({
  getServer: () => server,
  authenticate: ({ headers }) => {
    const principal = headers.get("x-user");
    return principal === undefined ? "anonymous" : { principal };
  },
  limits: { bodyTimeoutMs: 2000, heartbeatMs: 1000, stallMs: 3000, idleMs: 5000 },
  sessions: {
    eventStore:
      process.argv[2] === "resumable" ? createMemoryEventStore({ limits: { ttlMs: 2000 } }) : undefined,
  },
  onError,
});
const http = createServer({ keepAliveTimeout: 5000 }, createNodeListener(handler));
process.on("message", (question) => {
  process.send({ question, value: question === "held" ? JSON.stringify(held(server)) : "" });
});
process.on("disconnect", () => process.exit());
await new Promise((resolve) => http.listen(0, "127.0.0.1", resolve));
process.send({ port: http.address().port });
