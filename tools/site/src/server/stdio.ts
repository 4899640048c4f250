import { StdioTransport } from "@tenon/sdk/stdio";

import { listedPages } from "../content.ts";
import { docsServer } from "./docs-server.ts";

await docsServer(listedPages(() => {}).listed).run(new StdioTransport());
