import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

import { fixtures, run, serve, type Child } from "./child.ts";
import { outcome, revisions } from "./outcome.ts";
import { workerd } from "./runtimes.ts";

const config = `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker", esModule = embed "worker.js")],
  compatibilityDate = "2026-01-01",
);
`;

const missing = `There is no workerd for ${process.platform} ${process.arch}`;
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tenon-workerd-"));
  await writeFile(join(folder, "config.capnp"), config);
  await build({
    absWorkingDir: fixtures,
    entryPoints: ["worker.mjs"],
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    target: "es2022",
    conditions: ["workerd"],
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function startWorker(binary: string): Promise<Child & { readonly url: string }> {
  const child = await serve(binary, ["serve", join(folder, "config.capnp"), "--control-fd=3"], 3);
  const { port } = JSON.parse(child.line) as { port: number };
  return { ...child, url: `http://127.0.0.1:${port}` };
}

test("a worker serves every era, without sessions", async ({ skip }) => {
  if (workerd === undefined) {
    skip(missing);
    return;
  }
  await using worker = await startWorker(workerd);
  const text = await run(process.execPath, ["client.mjs", `${worker.url}/mcp`, ...revisions]);
  expect(JSON.parse(text)).toEqual(
    // Without a session the server cannot ask a client of the legacy era.
    revisions.map((revision) =>
      outcome(
        revision,
        revision === "2026-07-28" ? undefined : expect.stringContaining("belongs to no session"),
      ),
    ),
  );
  // It warns of requests that await what another one does.
  expect(worker.errors()).toBe("");
});

test("a worker is a client of every era", async ({ skip }) => {
  if (workerd === undefined) {
    skip(missing);
    return;
  }
  await using server = await serve(process.execPath, ["server-node.mjs"]);
  await using worker = await startWorker(workerd);
  const query = new URLSearchParams([
    ["url", server.line],
    ...revisions.map((revision): [string, string] => ["revision", revision]),
  ]);
  const response = await fetch(`${worker.url}/tour?${query.toString()}`);
  expect(await response.json()).toEqual(
    revisions.map((revision) =>
      outcome(revision, revision === "2025-03-26" ? expect.stringContaining("elicitation") : undefined),
    ),
  );
});
