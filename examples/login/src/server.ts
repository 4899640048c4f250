// A protected server. Start it with: node dist/server.js <issuer> <port>
import { jwt } from "@tenon/sdk/auth/jwt";
import { createGuard, protectedResource } from "@tenon/sdk/auth/server";
import { createStreamableHandler } from "@tenon/sdk/http";
import { listen } from "@tenon/sdk/node";
import { Server } from "@tenon/sdk/server";

// #region program
const [issuer = "http://127.0.0.1:4000", port = "3000"] = process.argv.slice(2);
const resource = `http://127.0.0.1:${port}/mcp`; // as clients know it
const scopes = ["notes:read"];

const server = new Server({ name: "notes", version: "1.0.0" });
server.addTool({ name: "who_am_i" }, (_, { auth }) => `You are ${auth?.subject}.`);

const guard = createGuard({ resource, verify: jwt({ issuer }), scopes });
const metadata = protectedResource({ resource, authorizationServers: [issuer], scopes });
const handler = createStreamableHandler({ getServer: () => server, ...guard });
const { url } = await listen(handler, { port: Number(port), routes: [metadata] });
console.log(`Listening at ${url.href}`);
// #endregion program
