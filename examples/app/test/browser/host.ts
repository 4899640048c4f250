// A host in a page, without a sandbox proxy: the page shows a document of its own project.
import { appHost, loadView, openBridge, viewUriOf } from "@tenon/sdk/apps/host";
import { Client } from "@tenon/sdk/client";
import { createInMemoryTransports } from "@tenon/sdk/memory";
import { windowTransport } from "@tenon/sdk/message";

import { createPolls } from "../../src/polls.ts";

const server = createPolls(async () => (await fetch("/view.html")).text());
const client = new Client({ name: "page", version: "1.0.0" });
client.use(appHost());
const [here, there] = createInMemoryTransports();
await server.connect(there);
const session = await client.connect(here);

const [tool] = (await session.listTools()).tools.filter((each) => viewUriOf(each) !== undefined);
const view = await loadView(session, tool ?? "");
const frame = document.createElement("iframe");
frame.setAttribute("sandbox", "allow-scripts");
document.body.append(frame);
const contexts: unknown[] = [];
const bridge = await openBridge(session, {
  transport: windowTransport(frame.contentWindow as Window, { origin: "null" }),
  info: { name: "page", version: "1.0.0" },
  onModelContext: ({ structuredContent }) => contexts.push(structuredContent) > 0,
});
frame.srcdoc = view.html;
bridge.sendInput({});
bridge.sendResult(await session.callTool({ name: "lunch_poll" }));
Object.assign(globalThis, { contexts });
