import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

import { Client } from "@tenon/sdk/client";
import { CommandTransport } from "@tenon/sdk/stdio";
import { chromiumPath, openPage, startChromium } from "@tenon/test-support/chromium";
import { expect, onTestFinished, test } from "vitest";

import { click, startNotes, type Notes } from "./broker/notes.ts";

const peers = process.env["TENON_PEERS"] ?? "";
const file = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const cli = file("../../../packages/cli/dist/bin.js");
const without = "set TENON_PEERS to a folder of tools/interop/test/broker/install.mjs to run";

/** A user who allows what a program asks for, in a browser that the program's page ends. */
async function agree(notes: Notes, page: string): Promise<void> {
  const end = await click(new URL(page), (url) => !url.startsWith("/") && !url.startsWith(notes.url.origin));
  expect((await fetch(end)).status).toBe(200);
}

/** Runs a program that prints, as lines of JSON, which page to visit and what the tool said. */
async function runPeer(notes: Notes, program: string, ...args: readonly string[]): Promise<unknown> {
  const child = spawn(program, [...args, notes.url.href], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let failure = "";
  child.stderr.on("data", (text) => (failure += String(text)));
  for await (const line of createInterface(child.stdout)) {
    const said = JSON.parse(line) as { readonly visit?: string };
    if (said.visit === undefined) {
      return said;
    }
    await agree(notes, said.visit);
  }
  throw new Error(`The program ended: ${failure}`);
}

test.for([
  ["the official Python client 1.x", "python-1/bin/python", [file("broker/client.py")], "2025-11-25"],
  ["the official Python client 2.x", "python-2/bin/python", [file("broker/client.py")], "2026-07-28"],
  ["the official Go client", "go/client", [], "2026-07-28"],
] as const)(
  `%s logs in through the broker, by default options (${without})`,
  async ([name, program, args, revision], { skip }) => {
    const path = join(peers, program);
    if (peers === "" || !existsSync(path)) {
      skip(`${name} is not installed`);
    }
    await using notes = await startNotes();
    expect(await runPeer(notes, path, ...args)).toEqual({ who: "development:alice", revision });
  },
);

test(`mcp-remote logs in through the broker, by default options (${without})`, async ({ skip }) => {
  const program = join(peers, "mcp-remote/node_modules/mcp-remote/dist/proxy.js");
  if (peers === "" || !existsSync(program)) {
    skip("mcp-remote is not installed");
  }
  await using notes = await startNotes();
  const client = new Client({ name: "test", version: "1.0.0" });
  const session = await client.connect(
    new CommandTransport({
      command: process.execPath,
      args: [program, notes.url.href],
      // No program can be found that would open a browser.
      env: { MCP_REMOTE_CONFIG_DIR: temporaryFolder(), PATH: "/nowhere" },
      stderr(line) {
        const [page] = /http:\S+\/authorize\?\S+/.exec(line) ?? [];
        void (page === undefined ? undefined : agree(notes, page));
      },
    }),
  );
  expect((await session.callTool({ name: "who" })).content).toEqual([
    { type: "text", text: "development:alice" },
  ]);
  await session.close();
});

/** Runs the command line, as users do. */
function tenon(
  folder: string,
  ...args: readonly string[]
): ChildProcess & { readonly printed: () => string } {
  const child = spawn(process.execPath, [cli, ...args], {
    cwd: folder,
    env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
  });
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (printed += text));
  return Object.assign(child, { printed: () => printed });
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "broker-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test("`tenon login` logs in through the broker, and `tenon call` uses the login", async () => {
  await using notes = await startNotes();
  const folder = temporaryFolder();
  const login = tenon(folder, "login", notes.url.href, "--no-browser");
  let [page, written]: [string | undefined, string] = [undefined, ""];
  login.stderr?.setEncoding("utf8").on("data", (text: string) => {
    written += text;
    if (page === undefined) {
      [page] = /http:\S+\/authorize\?\S+(?=\s)/.exec(written) ?? [];
      void (page === undefined ? undefined : agree(notes, page));
    }
  });
  expect([await once(login, "exit"), written]).toMatchObject([[0, null], expect.anything()]);
  const call = tenon(folder, "call", notes.url.href, "who");
  await once(call, "close");
  expect(call.printed()).toContain("development:alice");
});

test.skipIf(chromiumPath === undefined)(
  "a person logs in through the broker by the button of the inspector (skipped without Chromium)",
  async () => {
    await using notes = await startNotes();
    const inspect = tenon(temporaryFolder(), "inspect", notes.url.href, "--no-open");
    onTestFinished(() => void inspect.kill("SIGKILL"));
    await once(inspect.stdout ?? inspect, "data");
    await using browser = await startChromium();
    const page = await openPage(browser, inspect.printed().trim());
    const opened = page.context().waitForEvent("page");
    await page.getByRole("button", { name: "Log in", exact: true }).click();
    await page.getByRole("link", { name: /^Open / }).click();
    const broker = await opened;
    await broker.getByRole("button", { name: "Continue with the development login" }).click();
    await broker.getByRole("link", { name: "Alice Example" }).click();
    await broker.getByRole("button", { name: "Allow" }).click();
    await page.getByText("connected", { exact: true }).waitFor();
    await page.context().close();
  },
);
