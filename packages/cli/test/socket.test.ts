import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { listenOnSocket } from "@tenon/node/socket";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { expect, onTestFinished, test } from "vitest";

import type { Finding } from "../src/doctor/finding.ts";
import { server } from "./fixtures/notes.mjs";
import { temporaryFolder, tenon } from "./support.ts";

/** Serves notes on a socket. */
async function notes(folder = temporaryFolder()): Promise<{ readonly url: string; readonly socket: string }> {
  const socket = join(folder, "notes.sock");
  const listening = await listenOnSocket(createStreamableHandler({ getServer: () => server }), socket);
  onTestFinished(() => listening.close({ drainMs: 0 }));
  return { url: listening.url.href, socket };
}

test("a URL of a socket is a target, in both forms, also in the configuration of a host", async () => {
  const folder = temporaryFolder();
  const { url, socket } = await notes(folder);
  const other = `unix://${socket}#/mcp`;
  const config = join(folder, "mcp.json");
  writeFileSync(config, JSON.stringify({ servers: { local: { type: "http", url: other } } }));
  for (const target of [[url], [other], ["local", "--config", config]]) {
    const { code, stdout, stderr } = await tenon(["list", ...target]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("add");
  }
});

test("doctor checks a server on a socket, and warns if everybody may connect", async () => {
  const { url, socket } = await notes();
  chmodSync(socket, 0o666);
  const { stdout } = await tenon(["doctor", url, "--json"]);
  const { targets } = JSON.parse(stdout) as { targets: { findings: Finding[] }[] };
  const findings = targets.flatMap((target) => target.findings);
  expect(findings).toContainEqual({
    check: "address",
    status: "warning",
    message: `Every user of this machine may connect to ${socket}.`,
    fix: `restrict it: chmod 600 ${socket}`,
  });
  expect(findings.filter(({ status }) => status === "failed")).toEqual([]);
});

test.each([
  [["login"], "A login needs a server that other machines can reach"],
  [["auth", "explain"], "A login needs a server that other machines can reach"],
  [["tap", "--http"], "tenon tap --http needs a server that other machines can reach"],
])("%j of a server on a socket is refused with its reason", async (command, reason) => {
  const { code, stderr } = await tenon([...command, "http+unix://%2Frun%2Fnotes.sock/mcp"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining(reason)]);
});

test("a malformed URL of a socket is refused with the expected form", async () => {
  const { code, stderr } = await tenon(["list", "http+unix:///run/notes.sock/mcp"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("http+unix://%2Frun%2Fnotes.sock/mcp")]);
});

test("serve --socket serves a target on a socket until it is interrupted", async () => {
  const folder = temporaryFolder();
  const { url } = await notes(folder);
  const socket = join(folder, "front.sock");
  const controller = new AbortController();
  let list: ReturnType<typeof tenon> | undefined;
  const { stdout } = await tenon(["serve", url, "--socket", "front.sock"], {
    cwd: folder,
    signal: controller.signal,
    onWrite(stream, text) {
      if (stream === "stdout") {
        list = tenon(["list", text.trim()]);
        void list.finally(() => controller.abort());
      }
    },
  });
  expect(stdout.trim()).toBe(`http+unix://${encodeURIComponent(socket)}/mcp`);
  expect(await list).toMatchObject({ code: 0, stdout: expect.stringContaining("add") });
  expect(existsSync(socket)).toBe(false);
});

test("a generated program connects to its server on a socket", async () => {
  const folder = temporaryFolder();
  const { url } = await notes(folder);
  const { code } = await tenon(["generate", "cli", url, "--out", "notes.mjs"], { cwd: folder });
  expect(code).toBe(0);
  const program = readFileSync(join(folder, "notes.mjs"), "utf8");
  expect(program).toContain('import { socketTransport } from "@tenon/sdk/socket";');
  expect(program).toContain(`return socketTransport("${url}", { headers });`);
});
