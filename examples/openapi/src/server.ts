import { fileURLToPath } from "node:url";

import { openapi } from "@tenon/openapi";
import { Server } from "@tenon/sdk";
import { StdioTransport } from "@tenon/sdk/stdio";

import { mock } from "./mock.js";

// With --live the requests go to xkcd.com, otherwise to a mock in this process.
const isLive = process.argv.includes("--live");
const comics = await openapi(fileURLToPath(new URL("../comics.yaml", import.meta.url)), {
  offer: ({ id }) => (id === "latestComic" ? "resource" : "tool"),
  onWarning: (message) => {
    console.error(message);
  },
  ...(isLive ? {} : { fetch: mock }),
});

const server = new Server({ name: "comics", version: "1.0.0" });
server.use(comics);
await server.run(new StdioTransport());
