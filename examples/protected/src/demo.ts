// A protected server, and a client that logs in. The demo needs no browser: it fills in the
// forms of the authorization server by itself.
import { approve, freePort, startLoginServer } from "@tenon/example-authorization-server";
import { memoryStore } from "@tenon/sdk/auth/client";

import { connect } from "./connect.ts";
import { serveNotes } from "./protect.ts";

const print = (line: string): void => void process.stdout.write(`${line}\n`);

let step = 1;
const port = await freePort();
const resource = `http://127.0.0.1:${port}/mcp`;
const login = await startLoginServer(resource);
const server = await serveNotes(resource, login.issuer, port);
print("\n── A login\n");
print("Many servers belong to a user. A client without a token reads where the user logs in, opens");
print("the page, and comes back with a token. Here the demo fills in the forms in place of the user.\n");
print(`1. The server at ${resource} requires tokens of ${login.issuer}.`);

const { session, authorized } = await connect(resource, {
  store: memoryStore(),
  async open({ href, host }) {
    print(`${++step}. The browser opens ${host}: the user logs in as ada and consents.`);
    await fetch(await approve(new URL(href), "ada"));
  },
});
print(`${++step}. The client is connected with its token. Adding a note requires a further right.`);
await authorized(() => session.callTool({ name: "add_note", arguments: { title: "Buy milk" } }));
const { content } = await session.callTool({ name: "list_notes", arguments: {} });
const notes = content.map((block) => (block.type === "text" ? block.text : block.type)).join(", ");
print(`${++step}. The client repeats the call with the new token. The notes of ada: ${notes}\n`);

await session.close();
await server.close({ drainMs: 0 });
await login[Symbol.asyncDispose]();
