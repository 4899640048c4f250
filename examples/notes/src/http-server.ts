import { tmpdir } from "node:os";
import { join } from "node:path";

import { createStreamableHandler } from "@tenon/sdk/http";
import { listen } from "@tenon/sdk/node";

import { createNotesServer } from "./notes.ts";
import { openStore } from "./store.ts";

const file = process.argv[2] ?? join(tmpdir(), "notes.json");
const server = createNotesServer(openStore(file));
const { url } = await listen(createStreamableHandler({ getServer: () => server }), { port: 0 });
process.stdout.write(`${url.href}\n`);
