// A protected server, and a client that logs in. The demo needs no browser: it fills in the
// forms of the authorization server by itself.
import { approve, freePort, startLoginServer } from "@tenon/example-authorization-server";
import { memoryStore } from "@tenon/sdk/auth/client";

import { connect } from "./connect.ts";
import { serveNotes } from "./protect.ts";

const print = (line: string): void => void process.stdout.write(`${line}\n`);

const port = await freePort();
const resource = `http://127.0.0.1:${port}/mcp`;
const login = await startLoginServer(resource);
const server = await serveNotes(resource, login.issuer, port);
print(`\n── OAuth\n\nThe server at ${resource} requires tokens of ${login.issuer}.`);

const { session, authorized } = await connect(resource, {
  store: memoryStore(),
  async open({ href, host }) {
    print(`The user logs in at ${host} and consents.`);
    await fetch(await approve(new URL(href), "ada"));
  },
});
print("Connected. Adding a note requires a further scope.");
await authorized(() => session.callTool({ name: "add_note", arguments: { title: "Buy milk" } }));
const { content } = await session.callTool({ name: "list_notes", arguments: {} });
print(`The notes of ada: ${JSON.stringify(content)}`);

await session.close();
await server.close({ drainMs: 0 });
await login[Symbol.asyncDispose]();
