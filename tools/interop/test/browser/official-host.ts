// The official host, with our sandbox proxy.
import { Client } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

import { bridge as official } from "../memory/bridge.ts";
import { logged, proxyUrl, serve, uri } from "./server.ts";

const client = new Client({ name: "official", version: "1.0.0" });
await client.connect(official(await serve()) as never);
const { contents } = await client.readResource({ uri });
const [content] = contents;
const html = content !== undefined && "text" in content ? content.text : "";
const frame = document.createElement("iframe");
frame.setAttribute("sandbox", "allow-scripts allow-same-origin allow-forms");
document.body.append(frame);
const info = { name: "official", version: "1.0.0" };
const bridge = new AppBridge(client, info, { serverTools: {}, logging: {} });
bridge.onsandboxready = () => void bridge.sendSandboxResourceReady({ html });
bridge.onloggingmessage = ({ data }) => void logged.push(data);
bridge.onsizechange = () => void logged.push("resized");
bridge.oninitialized = () => void sendResult();
const target = frame.contentWindow as Window;
await bridge.connect(new PostMessageTransport(target, target));
frame.src = proxyUrl;
Object.assign(globalThis, { logged, end: () => bridge.teardownResource({}) });

async function sendResult(): Promise<void> {
  await bridge.sendToolInput({ arguments: { city: "Berlin" } });
  await bridge.sendToolResult({ content: [{ type: "text", text: "Sunny" }] });
}
