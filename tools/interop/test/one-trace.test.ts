import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { compiledProgram } from "@tenon/test-support/processes";
import { expect, onTestFinished, test } from "vitest";

import { startReceiver, type OtlpSpan } from "./one-trace/receiver.ts";

const program = await compiledProgram(new URL("one-trace/process.ts", import.meta.url), ["libsql"]);

/** Starts a process, and returns its first line. */
async function start(...args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [program, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(async () => {
    if (child.exitCode === null) {
      child.kill("SIGKILL");
      await once(child, "exit");
    }
  });
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  return line;
}

const roleOf = ({ attributes }: OtlpSpan): string | undefined =>
  attributes.find(({ key }) => key === "role")?.value.stringValue;

test("a call from a host over stdio and HTTP is one trace, with a link from the run in a worker, read back as OTLP", async () => {
  const folder = await mkdtemp(join(tmpdir(), "one-trace-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await using receiver = await startReceiver();
  const { url } = receiver;
  const database = join(folder, "tasks.db");
  const server = await start("server", url, database);
  await start("worker", url, database);
  const content = await start("host", url, server);
  expect(JSON.parse(content)).toEqual([{ type: "text", text: "written by the worker" }]);

  const chain = [
    await receiver.span("tools/call relay", "client"),
    await receiver.span("tools/call relay", "server"),
    await receiver.span("tools/call report", "client"),
    await receiver.span("tools/call report", "server"),
  ];
  expect(chain.map(roleOf)).toEqual(["host", "front", "front", "server"]);
  expect(new Set(chain.map(({ traceId }) => traceId)).size).toBe(1);
  expect(chain.map(({ parentSpanId = "" }) => parentSpanId)).toEqual([
    "",
    ...chain.slice(0, -1).map(({ spanId }) => spanId),
  ]);

  const created = chain[3] as OtlpSpan;
  const ran = await receiver.span("task report", "consumer");
  expect(roleOf(ran)).toBe("worker");
  expect(ran.traceId).not.toBe(created.traceId);
  expect(ran.links).toMatchObject([{ traceId: created.traceId, spanId: created.spanId }]);

  const opened = await receiver.span("server/discover", "client");
  expect(["host", "front"]).toContain(roleOf(opened));
});
