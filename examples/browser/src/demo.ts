// The page and the endpoint on two ports of this machine, which are two origins.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";

import { listen } from "@tenon/sdk/node";
import { build } from "esbuild";

import { createPriceHandler } from "./server.ts";

const { outputFiles } = await build({
  entryPoints: [fileURLToPath(new URL("../src/browser/main.ts", import.meta.url))],
  bundle: true,
  write: false,
  platform: "browser",
  format: "esm",
  target: "es2023",
});
const script = outputFiles.map(({ text }) => text).join("\n");
const site = createServer((request, response) => {
  const isScript = request.url === "/main.js";
  response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html; charset=utf-8" });
  response.end(isScript ? script : page);
});
await once(site.listen(0, "127.0.0.1"), "listening");
const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
const listening = await listen(createPriceHandler([origin]), { port: 0 });
const page = `<!doctype html><title>A client in a page</title>
<body data-endpoint="${listening.url.href}" data-token="secret" style="font: 1.2rem system-ui; margin: 3rem">
<h1>This page is an MCP client</h1>
<p>It asks the server at ${listening.url.href} for the price of a tenon and gets:</p>
<script type="module" src="/main.js"></script>`;
console.log(`Open ${origin} and look at the network tab of the developer tools. Ctrl-C ends.`);
