// #region program
import { createBroker, development, github } from "@tenon/broker";
import { createGuard } from "@tenon/sdk/auth/server";
import { createStreamableHandler } from "@tenon/sdk/http";
import { listen } from "@tenon/sdk/node";
import { Server } from "@tenon/sdk/server";

const { GITHUB_ID: clientId, GITHUB_SECRET: clientSecret, PORT: port = "3000" } = process.env;
const resource = `http://127.0.0.1:${port}/mcp`; // as clients know it

const broker = await createBroker({
  resource,
  scopes: { "notes:read": "Read your notes" }, // what users read when they decide
  upstream: clientId === undefined ? development() : github({ clientId, clientSecret }),
});

const server = new Server({ name: "notes", version: "1.0.0" });
server.addTool({ name: "who_am_i" }, async (_, { auth }) => {
  const account = await broker.accountOf(auth);
  return `You are ${account?.name ?? auth?.subject}.`;
});

const guard = createGuard({ resource, verify: broker.verify, scopes: ["notes:read"] });
const handler = createStreamableHandler({ getServer: () => server, ...guard });
const { url } = await listen(handler, { port: Number(port), routes: broker.routes });
console.log(`Listening at ${url.href}`);
// #endregion program
