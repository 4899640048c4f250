import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Client } from "@tenon/mcp";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { fixtures, serve, type Child } from "./child.ts";
import { workerd } from "./runtimes.ts";

let folder = "";

function configOf(disk: string): string {
  return `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "disk", disk = (path = ${JSON.stringify(disk)}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-01-01",
  durableObjectNamespaces = [
    (className = "Kit", uniqueKey = "kit", enableSql = true),
    (className = "Shop", uniqueKey = "shop", enableSql = true),
  ],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [
    (name = "KIT", durableObjectNamespace = "Kit"),
    (name = "SHOP", durableObjectNamespace = "Shop"),
  ],
);
`;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-object-"));
  await mkdir(join(folder, "disk"));
  await writeFile(join(folder, "config.capnp"), configOf(join(folder, "disk")));
  await build({
    absWorkingDir: fixtures,
    entryPoints: ["durable-object.mjs"],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["@tenon/source", "workerd"],
    external: ["cloudflare:workers"],
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function startWorker(binary: string): Promise<Child & { readonly url: string }> {
  const child = await serve(binary, ["serve", join(folder, "config.capnp"), "--control-fd=3"], 3);
  const { port } = JSON.parse(child.line) as { port: number };
  return { ...child, url: `http://127.0.0.1:${port}` };
}

test.skipIf(workerd === undefined).each([
  ["tasks", 57],
  ["events", 26],
  ["sessions", 30],
  ["leases", 22],
  ["replay", 8],
  ["rates", 13],
  ["bus", 21],
])("%s in a Durable Object pass their conformance kit", async (kit, checks) => {
  await using worker = await startWorker(workerd ?? "");
  const response = await fetch(`${worker.url}/kit?kit=${kit}`);
  expect(await response.json()).toEqual({ count: checks, failed: [] });
});

test("a legacy session continues in an object that was started again", async () => {
  let worker = await startWorker(workerd ?? "");
  onTestFinished(() => worker[Symbol.asyncDispose]());
  const client = new Client(
    { name: "ada", version: "1.0.0" },
    {
      revisions: ["2025-11-25"],
      elicitation: { form: () => ({ action: "accept", content: { size: "XL" } }) },
    },
  );
  onTestFinished(() => client.close());
  const opened: string[] = [];
  const session = await client.connect(
    new StreamableClientTransport("http://127.0.0.1/mcp", {
      // The port is another one after the restart.
      fetch: (input, init) => {
        const { pathname } = new URL(input);
        opened.push(JSON.parse(typeof init?.body === "string" ? init.body : "{}").method as string);
        return fetch(`${worker.url}${pathname}`, init);
      },
    }),
  );
  expect((await session.callTool({ name: "hello" })).content).toMatchObject([{ text: "Hello, ada" }]);
  expect((await session.callTool({ name: "ask" })).content).toMatchObject([{ text: "Size XL" }]);
  await worker[Symbol.asyncDispose]();
  worker = await startWorker(workerd ?? "");
  expect((await session.callTool({ name: "hello" })).content).toMatchObject([{ text: "Hello, ada" }]);
  expect(opened.filter((method) => method === "initialize")).toHaveLength(1);
});
