import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Client } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

const config = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  bindings = [(name = "TOKENS", json = "{ \\"secret\\": \\"ada\\" }")],
  compatibilityDate = "2026-01-01",
);
`;

/** The program, which its package starts by a script; `undefined` on other platforms. */
const workerd = find();
let folder = "";

function find(): string | undefined {
  const { platform, arch } = process;
  const name = `@cloudflare/workerd-${platform}-${arch === "x64" ? "64" : arch}/bin/workerd`;
  const here = createRequire(import.meta.url);
  try {
    return createRequire(here.resolve("workerd/package.json")).resolve(name);
  } catch {
    return undefined;
  }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-worker-"));
  await writeFile(join(folder, "config.capnp"), config);
  await build({
    entryPoints: [join(import.meta.dirname, "../src/worker.ts")],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd"],
  });
});

afterAll(() => rm(folder, { recursive: true }));

test.skipIf(workerd === undefined).each(["2025-11-25", "2026-07-28"] as const)(
  "the Worker serves clients of %s by its bindings (skipped where there is no workerd)",
  async (revision) => {
    const args = ["serve", join(folder, "config.capnp"), "--control-fd=3"];
    const child = spawn(workerd ?? "", args, { stdio: ["ignore", "inherit", "inherit", "pipe"] });
    const exited = once(child, "exit");
    try {
      const [line] = (await once(createInterface(child.stdio[3] as NodeJS.ReadableStream), "line")) as [
        string,
      ];
      const url = `http://127.0.0.1:${(JSON.parse(line) as { port: number }).port}/mcp`;
      const call = async (token: string): Promise<object> => {
        const client = new Client({ name: "test", version: "1.0.0" }, { revisions: [revision] });
        const headers = { authorization: `Bearer ${token}` };
        await using session = await client.connect(new StreamableClientTransport(url, { headers }));
        return await session.callTool({ name: "shorten", arguments: { url: "https://example.com/long" } });
      };
      expect(await call("secret")).toMatchObject({
        structuredContent: { id: expect.stringMatching(/^\w{8}$/) },
      });
      expect(await call("wrong")).toMatchObject({ isError: true });
    } finally {
      child.kill("SIGKILL");
      await exited;
    }
  },
);
