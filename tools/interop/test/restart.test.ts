import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { Client, type ClientSession } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { expect, test } from "vitest";

const program = join(import.meta.dirname, "fixtures/restartable-server.mjs");

interface Running {
  readonly url: URL;
  readonly pid: string;
  /** As if the power had failed. */
  kill(): Promise<void>;
}

async function start(port = 0): Promise<Running> {
  const child = spawn(process.execPath, [program, String(port)], { stdio: ["ignore", "pipe", "inherit"] });
  const exited = once(child, "exit");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  return {
    url: new URL(line),
    pid: String(child.pid),
    kill: async () => {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function pidOf(session: ClientSession): Promise<string> {
  const { content } = await session.callTool({ name: "pid" });
  return (content[0] as { text: string }).text;
}

test.each(["2026-07-28", "2025-11-25"] as const)(
  "T-055: a server that is killed in the middle of 20 calls rejects them, and the session goes on with the next server (%s)",
  async (revision) => {
    const first = await start();
    let restored = 0;
    const client = new Client({ name: "test", version: "1.0.0" }, { revisions: [revision] });
    const session = await client.connect(
      new StreamableClientTransport(first.url, {
        eras: false,
        reconnect: { initialDelayMs: 20, maxDelayMs: 100 },
        onSessionRestored: () => restored++,
      }),
    );
    expect(await pidOf(session)).toBe(first.pid);
    let working = 0;
    let allWorking = (): void => {};
    const inside = new Promise<void>((resolve) => {
      allWorking = resolve;
    });
    const calls = Array.from({ length: 20 }, () =>
      session.callTool(
        { name: "hang" },
        {
          onProgress: () => {
            working++;
            if (working === 20) {
              allWorking();
            }
          },
        },
      ),
    );
    await inside;
    const outcomes = Promise.allSettled(calls);
    await first.kill();
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: "rejected", reason: { code: "NETWORK" } });
    }
    // Nobody is there: calls fail, and do not wait.
    await expect(session.callTool({ name: "pid" })).rejects.toMatchObject({ code: "NETWORK" });
    const second = await start(Number(first.url.port));
    // The tool is known to do no harm when it is called twice, once it was listed.
    expect((await session.listTools()).tools.map(({ name }) => name)).toEqual(["hang", "pid"]);
    expect(await pidOf(session)).toBe(second.pid);
    expect(restored).toBe(revision === "2026-07-28" ? 0 : 1);
    await session.close();
    await second.kill();
  },
);
