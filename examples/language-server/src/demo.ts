// An editor: it starts the language server, opens a document and prints its findings.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { Peer } from "@tenon/jsonrpc2";

import { contentLengthConnection } from "./content-length.ts";

const child = spawn(process.execPath, [fileURLToPath(new URL("server.js", import.meta.url))], {
  stdio: ["pipe", "pipe", "inherit"],
});
const exited = once(child, "exit");
const chunks = child.stdout[Symbol.asyncIterator]() as AsyncIterator<Uint8Array, undefined>;
const editor = new Peer(
  contentLengthConnection({
    read: async () => (await chunks.next()).value,
    write: (text) => new Promise((resolve) => void child.stdin.write(text, () => resolve())),
    close: async () => void child.stdin.end(),
  }),
);
console.log("initialize:", JSON.stringify(await editor.call("initialize", { processId: null })));
const textDocument = { uri: "file:///plan.txt", text: "buy wood\nTODO cut the tenon\nTODO glue\n" };
console.log(`The editor opens ${textDocument.uri}:\n${textDocument.text}`);
await editor.notify("textDocument/didOpen", { textDocument });
console.log("Diagnostics:", JSON.stringify(await editor.call("textDocument/diagnostic", { textDocument })));
await editor.close();
await exited;
