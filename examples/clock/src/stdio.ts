import { StdioTransport } from "@tenon/sdk/stdio";

import { server } from "./clock.ts";

await server.run(new StdioTransport());
