import { startLoginServer } from "@tenon/example-authorization-server";

import { serveNotes } from "./protect.ts";

const port = Number(process.argv[2] ?? "3000");
const resource = `http://127.0.0.1:${port}/mcp`;
const { issuer } = await startLoginServer(resource);
await serveNotes(resource, issuer, port);
process.stdout.write(`${resource}, with the authorization server ${issuer}\n`);
