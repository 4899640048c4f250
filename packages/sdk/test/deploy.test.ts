import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { createInterface } from "node:readline";

import { Client } from "@tenon/mcp";
import { inbox } from "@tenon/test-support";
import { originOnFreePort } from "@tenon/test-support/http";
import { compiledProgram } from "@tenon/test-support/processes";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { expect, onTestFinished, test } from "vitest";

test("SIGTERM makes a process not ready, lets it serve, finish its calls, and exit with 0", async () => {
  const waiting = inbox<ServerResponse>();
  const gate = createServer((_, response) => waiting.put(response));
  const gateUrl = await originOnFreePort(gate);
  const program = await compiledProgram(new URL("fixtures/deployed.ts", import.meta.url));
  const child = spawn(process.execPath, [program], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
    gate.closeAllConnections();
    gate.close();
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => String((await lines.next()).value);
  const origin = await line();
  expect((await fetch(`${origin}/ready`)).status).toBe(200);

  const headers = { "x-gate": gateUrl };
  const client = new Client({ name: "client", version: "1.0.0" });
  const session = await client.connect(new StreamableClientTransport(`${origin}/mcp`, { headers }));
  const call = session.callTool({ name: "slow" });
  expect(await line()).toBe("called");
  const opened = await waiting.take();

  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await expect.poll(async () => (await fetch(`${origin}/ready`)).status, { interval: 5 }).toBe(503);
  expect((await fetch(`${origin}/live`)).status).toBe(200);
  // Requests that the balancer still sends are served.
  expect((await session.listTools()).tools).toHaveLength(1);
  opened.end();
  expect((await call).content).toEqual([{ type: "text", text: "finished" }]);
  expect(await exited).toEqual([0, null]);
  await client.close();
});
