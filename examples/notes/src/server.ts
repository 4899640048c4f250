import { tmpdir } from "node:os";
import { join } from "node:path";

import { StdioTransport } from "@tenon/sdk/stdio";

import { createNotesServer } from "./notes.ts";
import { openStore } from "./store.ts";

const file = process.argv[2] ?? join(tmpdir(), "notes.json");
const server = createNotesServer(openStore(file));
await server.run(new StdioTransport());
