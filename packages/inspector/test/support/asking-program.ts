// The server over standard input and output, for tests with a child process.
import { StdioTransport } from "@tenon/transports-stdio/server";

import { askingServer } from "./asking-server.ts";

await askingServer().run(new StdioTransport());
