import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { createVirtualClock } from "@tenon/jsonrpc2/testing";
import { compiledProgram, isRunning } from "@tenon/test-support/processes";
import { expect, test } from "vitest";

import { isHostError, Manager, type HostDelivered, type StdioSpec } from "../src/index.ts";
import { nodeTransports } from "../src/node.ts";
import { once, turns, until } from "./fixture.ts";
import { fixture, rememberingLauncher } from "./processes.ts";

const onPosix = process.platform !== "win32";

test("a server that is killed ten times while calls are under way: no call runs twice, and each says truly what became of it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "host-"));
  const file = join(folder, "ledger");
  const launcher = rememberingLauncher();
  const manager = new Manager({
    servers: { ledger: { type: "stdio", command: process.execPath, args: [fixture("ledger"), file] } },
    transports: nodeTransports({ launcher }),
    reconnect: { initialDelayMs: 1, maxCrashes: 100 },
    breaker: { failureThreshold: Infinity },
  });
  await manager.connectAll();
  const outcomes = new Map<string, Promise<"done" | HostDelivered>>();
  for (let kill = 0; kill < 10; kill++) {
    for (let call = 0; call < 20; call++) {
      const id = `${kill}-${call}`;
      const outcome = manager.callTool("ledger", "note", { id }).then(
        () => "done" as const,
        (error: unknown) => {
          if (!isHostError(error)) {
            throw error;
          }
          return error.delivered;
        },
      );
      outcomes.set(id, outcome);
    }
    // Some of the calls are answered, some have arrived, some are on their way, and some wait for
    // their turn.
    await turns(kill * 3);
    const back = once(manager, "mcp_reconnected");
    launcher.children.at(-1)?.kill("SIGKILL");
    await back;
  }
  const settled = new Map(
    await Promise.all([...outcomes].map(async ([id, outcome]) => [id, await outcome] as const)),
  );
  await manager.callTool("ledger", "note", { id: "last" });
  await manager.close();
  const ledger = (await readFile(file, "utf8")).trim().split("\n");
  const runs = (id: string): number => ledger.filter((line) => line === id).length;
  for (const [id, outcome] of settled) {
    const most = outcome === "no" ? 0 : 1;
    const least = outcome === "done" ? 1 : 0;
    expect({ id, outcome, fits: runs(id) >= least && runs(id) <= most }).toEqual({ id, outcome, fits: true });
  }
  expect([...settled.values()].filter((outcome) => outcome === "done").length).toBeGreaterThan(0);
  expect(runs("last")).toBe(1);
  expect(launcher.children).toHaveLength(11);
  expect(launcher.children.map((child) => child.alive())).toEqual(launcher.children.map(() => false));
  await rm(folder, { recursive: true });
});

test.runIf(onPosix)(
  "what a server's wrapper has started ends with it: on close, when it is lost, and when it was never ready",
  async () => {
    const clock = createVirtualClock();
    const pids = new Map<string, number[]>();
    const wrapped = (...args: string[]): StdioSpec => ({
      type: "stdio",
      command: process.execPath,
      args: [fixture("wrapper"), ...args],
    });
    const manager = new Manager({
      servers: {
        closed: wrapped(fixture("server")),
        late: wrapped("-e", "setInterval(() => {}, 1000)"),
        lost: wrapped(fixture("server")),
      },
      transports: nodeTransports({
        shutdown: [
          { action: "close-stdin", waitMs: 100 },
          { action: "SIGTERM", waitMs: 5000 },
          { action: "SIGKILL", waitMs: 5000 },
        ],
        onStderr: (server, line) => {
          pids.set(server, line.split(" ").slice(1).map(Number));
        },
      }),
      limits: { maxStdioConnecting: 3 },
      reconnect: { maxRetries: 0 },
      clock,
    });
    const running = (server: string): boolean[] => (pids.get(server) ?? []).map(isRunning);
    const connecting = manager.connectAll();
    await until(() => pids.size === 3 && manager.names().length === 2);
    expect(running("late")).toEqual([true, true, true]);
    clock.advance(120_000);
    const { ready, failed } = await connecting;
    expect(ready).toEqual(["closed", "lost"]);
    expect(failed.get("late")).toMatchObject({ cause: { code: "TIMEOUT" } });
    expect(running("late")).toEqual([false, false, false]);

    expect(running("lost")).toEqual([true, true, true]);
    const removed = once(manager, "mcp_server_removed");
    process.kill(pids.get("lost")?.[0] ?? 0, "SIGKILL");
    await removed;
    await until(() => !running("lost").some(Boolean));

    expect(running("closed")).toEqual([true, true, true]);
    const { content } = await manager.callTool("closed", "pid");
    expect(content).toEqual([{ type: "text", text: String(pids.get("closed")?.[2]) }]);
    await manager.close();
    expect(running("closed")).toEqual([false, false, false]);
  },
);

test.runIf(onPosix).each(["exit", "crash", "wait"])(
  "a host that dies without closing (%s) leaves no server behind that minds its input, and no helper that its exit can reach",
  async (how) => {
    const host = spawn(
      process.execPath,
      [
        await compiledProgram(new URL("fixtures/dying-host.ts", import.meta.url)),
        how,
        fixture("server"),
        fixture("wrapper"),
      ],
      { stdio: ["ignore", "pipe", "ignore"] },
    );
    const ended = new Promise((resolve) => {
      host.once("exit", resolve);
    });
    let said = "";
    host.stdout.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    await until(() => said.endsWith("\n"));
    const [plain = 0, wrapper = 0, helper = 0, wrapped = 0] = said.trim().split(" ").map(Number);
    expect([plain, wrapper, helper, wrapped].every((pid) => pid > 0)).toBe(true);
    if (how === "wait") {
      expect([plain, wrapper, helper, wrapped].map(isRunning)).toEqual([true, true, true, true]);
      host.kill("SIGKILL");
    }
    await ended;
    // Nothing of a killed host can end what does not mind its input; servers do, however they were
    // wrapped.
    const doomed = how === "wait" ? [plain, wrapped] : [plain, wrapper, helper, wrapped];
    await until(() => !doomed.some(isRunning));
    for (const pid of [wrapper, helper].filter(isRunning)) {
      process.kill(pid, "SIGKILL");
    }
  },
);

test("after close nothing is left: no process, socket, timer or listener, and the host ends by itself", async () => {
  const program = await compiledProgram(new URL("fixtures/busy-host.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program, fixture("server")]);
  const { before, after, signalListeners, own, left } = JSON.parse(stdout) as Record<string, unknown>;
  expect(left).toEqual(own);
  expect(signalListeners).toBe(0);
  expect(after).toEqual(before);
});

test("a host that only watches a resource does not end while its server is on the way back", async () => {
  const folder = await mkdtemp(join(tmpdir(), "host-"));
  const program = await compiledProgram(new URL("fixtures/watching-host.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    fixture("leaving"),
    join(folder, "was-there"),
  ]);
  expect(stdout).toBe("x://1\n");
  await rm(folder, { recursive: true });
});
