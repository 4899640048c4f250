// The page and the bakery on two ports of this machine, which are two origins.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { listen } from "@tenon/sdk/node";

import { createBakery } from "./bakery.ts";
import { bundlePage, documentOf } from "./bundle.ts";

const script = await bundlePage();
const site = createServer((request, response) => {
  const isScript = request.url === "/main.js";
  response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html; charset=utf-8" });
  response.end(isScript ? script : document);
});
await once(site.listen(0, "127.0.0.1"), "listening");
const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
const listening = await listen(createBakery(origin, 3000), { port: 0 });
const document = documentOf(listening.url.href);
console.log(`Open ${origin}, order a cake, and load the page again while it is baked. Ctrl-C ends.`);
