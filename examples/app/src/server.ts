import { StdioTransport } from "@tenon/sdk/stdio";

import { createPolls } from "./polls.ts";
import { viewHtml } from "./view-html.ts";

await createPolls(viewHtml).run(new StdioTransport());
