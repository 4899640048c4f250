import { createServer } from "node:http";

import { createGuard } from "@tenon/auth/server";
import { createBroker, development } from "@tenon/broker";
import { Server } from "@tenon/mcp/server";
import { createNodeListener } from "@tenon/node";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";

/** A broker with default options, on the port of `PORT`. */
const port = Number(process.env["PORT"]);
const resource = `http://localhost:${port}/mcp`;
const broker = await createBroker({
  resource,
  scopes: { "notes:read": "Read your notes" },
  upstream: development(),
});
const server = new Server({ name: "notes", version: "1.0.0" });
const guard = createGuard({ resource, verify: broker.verify, scopes: ["notes:read"] });
const handler = createStreamableHandler({ getServer: () => server, ...guard });
createServer(createNodeListener(handler, { path: "/mcp", routes: broker.routes })).listen(
  port,
  "localhost",
  () => console.error("listening on", port),
);
