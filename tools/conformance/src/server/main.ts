import { listen } from "@tenon/node";
// The everything-server: what the official conformance suite asks for, on one endpoint for every
// revision.
import { createMemoryEventStore, createStreamableHandler } from "@tenon/transports-streamable-http/server";

import { createEverythingServer } from "./server.ts";

const server = createEverythingServer();
const handler = createStreamableHandler({
  getServer: () => server,
  sessions: { eventStore: createMemoryEventStore() },
  onError: (error) => console.error(error),
  limits: { retryMs: 500 },
});
const { url } = await listen(handler, { port: Number(process.env["PORT"] ?? 3000), host: "localhost" });
console.error(`listening on ${url.href}`);
