import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startCollector, startTelemetry } from "@tenon/example-telemetry";
import { instrument } from "@tenon/otel";
import { Client, type CallToolResult } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";

import { startProxy } from "./proxy.ts";

const folder = await mkdtemp(join(tmpdir(), "cluster-"));
const collector = await startCollector();
const telemetry = startTelemetry("traveller", collector.url);
const nodes = new Map<string, { readonly port: number; readonly child: ChildProcess }>();
for (const name of ["Alpha", "Beta", "Gamma"]) {
  const child = fork(join(import.meta.dirname, "server.js"), [name, join(folder, "db"), collector.url]);
  const [port] = (await once(child, "message")) as [number];
  // Messages of the bus in stores.ts.
  child.on("message", (message) => nodes.forEach(({ child: each }) => each.connected && each.send(message)));
  nodes.set(name, { port, child });
}
const answered: string[] = [];
const proxy = await startProxy(nodes, (name) => {
  answered.splice(0).forEach((message) => console.log(`${message} The response is sent to ${name}.`));
});

const textOf = ({ content }: CallToolResult): string => (content[0]?.type === "text" ? content[0].text : "");
let working: ((text: string) => void) | undefined;
const client = new Client(
  { name: "traveller", version: "1.0.0" },
  {
    revisions: ["2025-11-25"],
    elicitation: {
      form: ({ message }) => {
        answered.push(message);
        return { action: "accept", content: { city: "Oslo" } };
      },
    },
    onLog: ({ data }) => working?.(String(data)),
  },
);
instrument(client);
const session = await client.connect(new StreamableClientTransport(proxy.url));
await session.setLogLevel("info");
const call = async (name: string): Promise<string> => textOf(await session.callTool({ name }));

const served = [await call("whoami"), await call("whoami"), await call("whoami"), await call("whoami")];
console.log(`One session was served by ${[...new Set(served)].sort().join(", ")}.`);
console.log(await call("book"));

const started = new Promise<string>((resolve) => (working = resolve));
const lost = call("work").catch(({ message }: Error) => message);
const [victim = ""] = (await started).split(" ");
nodes.get(victim)?.child.kill("SIGKILL");
nodes.delete(victim);
console.log(`${victim} was killed. Its running call: ${await lost}`);
console.log(`The session continues at ${await call("whoami")}.`);

await client.close();
for (const { child } of nodes.values()) {
  child.kill("SIGTERM");
  await once(child, "exit");
}
await telemetry.shutdown();
console.log("\nThe traces, from the spans of all processes:");
console.log(`${collector.traces("tools/call book")}\n${collector.traces("tools/call work")}`);
collector.close();
proxy.close();
await rm(folder, { recursive: true });
