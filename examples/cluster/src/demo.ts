import { fork, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client, type CallToolResult } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";

import { startProxy } from "./proxy.ts";

const folder = await mkdtemp(join(tmpdir(), "cluster-"));
const socket = join(folder, "redis.sock");
const redis = process.env["REDIS_URL"]
  ? undefined
  : spawn("redis-server", ["--port", "0", "--unixsocket", socket, "--save", ""]);
for await (const line of redis?.stdout ?? []) {
  if (String(line).includes("eady to accept connections")) {
    break;
  }
}

const nodes = new Map<string, { child: ChildProcess; port: number; ended: Promise<unknown> }>();
for (const name of ["Alpha", "Beta", "Gamma"]) {
  const child = fork(join(import.meta.dirname, "server.js"), [name, socket]);
  const [port] = (await once(child, "message")) as [number];
  nodes.set(name, { child, port, ended: once(child, "exit") });
}
const ports = [...nodes.values()].map(({ port }) => port);
const proxy = await startProxy(ports);

const textOf = ({ content }: CallToolResult): string => (content[0]?.type === "text" ? content[0].text : "");
let working: ((text: string) => void) | undefined;
const client = new Client(
  { name: "traveller", version: "1.0.0" },
  {
    revisions: ["2025-11-25"],
    elicitation: {
      form: ({ message }) => {
        console.log(`${message} The response goes to whichever process is next.`);
        return { action: "accept", content: { city: "Oslo" } };
      },
    },
    onLog: ({ data }) => working?.(String(data)),
  },
);
const session = await client.connect(new StreamableClientTransport(proxy.url));
await session.setLogLevel("info");

const served = [];
for (let call = 0; call < 6; call++) {
  served.push(textOf(await session.callTool({ name: "whoami" })));
}
console.log(`One session was served by ${[...new Set(served)].sort().join(", ")}.`);
console.log(textOf(await session.callTool({ name: "book" })));

const started = new Promise<string>((resolve) => (working = resolve));
const lost = session.callTool({ name: "work" }).then(textOf, ({ message }: Error) => message);
const [victim = ""] = (await started).split(" ");
const node = nodes.get(victim);
ports.splice(ports.indexOf(node?.port ?? 0), 1);
node?.child.kill("SIGKILL");
console.log(`${victim} was killed. Its running call: ${await lost}`);
for (let call = 0; call < 4; call++) {
  await session.callTool({ name: "whoami" });
}
console.log("The session continues.");

await client.close();
for (const { child } of nodes.values()) {
  child.kill("SIGTERM");
}
proxy.close();
await Promise.all([...nodes.values()].map(({ ended }) => ended));
redis?.kill();
await rm(folder, { recursive: true, force: true });
