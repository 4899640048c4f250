// Our host, with a view of either kind.
import { appHost, loadView, openBridge, sandboxFrame } from "@tenon/apps/host";
import { Client } from "@tenon/sdk/client";
import { windowTransport } from "@tenon/transports-message";

import { logged, proxyUrl, serve, uri } from "./server.ts";

const client = new Client({ name: "ours", version: "1.0.0" });
client.use(appHost());
const session = await client.connect(await serve());
const view = await loadView(session, uri);
const frame = document.createElement("iframe");
for (const [name, value] of Object.entries(sandboxFrame(proxyUrl, view))) {
  frame.setAttribute(name, value);
}
document.body.append(frame);
const bridge = await openBridge(session, {
  transport: windowTransport(frame.contentWindow as Window, { origin: new URL(proxyUrl).origin }),
  info: { name: "ours", version: "1.0.0" },
  view,
  onLog: ({ data }) => void logged.push(data),
  onResize: () => void logged.push("resized"),
});
bridge.sendInput({ city: "Berlin" });
bridge.sendResult(await session.callTool({ name: "forecast" }));
Object.assign(globalThis, { logged, end: () => bridge.close() });
