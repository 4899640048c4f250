import { writeFileSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { fileStore } from "@tenon/auth/node";
import { expect, onTestFinished, test } from "vitest";

import { readLogins, rememberLogin } from "../src/auth/logins.ts";
import { loginStore } from "../src/auth/provider.ts";
import type { Invocation } from "../src/command/invocation.ts";
import { askDaemon } from "../src/kept/client.ts";
import { socketPath } from "../src/kept/socket.ts";
import { Interrupted } from "../src/shell.ts";
import { knownTargets } from "../src/target/known-targets.ts";
import { hasScript, keys, programAt } from "./at-terminal.ts";
import { invocationUntil } from "./invocation.ts";
import { fixture, self, temporaryFolder, tenon, tenonProcess } from "./support.ts";

const a = "https://a.example/mcp";

/** A user who has a configured server, and logins. */
async function userWith(...logins: readonly (readonly [string, string])[]): Promise<Invocation> {
  const invocation = invocationUntil(new AbortController().signal);
  const store = loginStore(invocation);
  for (const [url, profile] of logins) {
    await rememberLogin(store, { url, profile });
  }
  configureServer(invocation.shell.cwd);
  return invocation;
}

function configureServer(cwd: string): void {
  const mcpServers = { configured: { command: "never-started" } };
  writeFileSync(join(cwd, ".mcp.json"), JSON.stringify({ mcpServers }));
}

/** Listens where the process of a user keeps connections. */
function daemonOf({ shell }: Invocation, onSocket: (socket: Socket) => unknown): void {
  const daemon = createServer((socket) => void onSocket(socket.on("error", () => {})));
  daemon.listen(socketPath(shell));
  onTestFinished(() => void daemon.close());
}

/** A folder of a user with logins. Their files are not sealed. */
async function folderWith(...logins: readonly (readonly [string, string])[]): Promise<string> {
  const cwd = temporaryFolder();
  for (const [url, profile] of logins) {
    await rememberLogin(storeIn(cwd), { url, profile });
  }
  configureServer(cwd);
  return cwd;
}

const storeIn = (cwd: string): ReturnType<typeof fileStore> =>
  fileStore({ directory: join(cwd, "data/tenon/auth"), protection: "file" });

test("configured servers come before logins, and the latest login before the others", async () => {
  const user = await userWith([a, "default"], [a, "work"], ["https://b.example/mcp", "default"]);
  expect(await knownTargets(user, "call")).toEqual([
    { word: "configured" },
    { word: "https://b.example/mcp" },
    { word: a, profile: "work" },
    { word: a },
  ]);
  expect(await knownTargets(user, "logout", "work")).toEqual([{ word: a, profile: "work" }]);
});

test.skipIf(!hasScript)(
  "a choice of a server logs out the profile that it shows, and choices that look alike are numbered",
  async () => {
    const secrets = ["one", "two"].map(
      (token) => [`https://c.example/mcp?token=${token}`, "default"] as const,
    );
    const cwd = await folderWith(...secrets, [a, "default"], [a, "work"]);
    const { shows, type, ended } = programAt(cwd, [...self, "logout"]);
    const screen = await shows(/●.{0,6} https:\/\/a\.example\/mcp \(profile work\)[^]*\(2\)/);
    expect(screen).toMatch(/○\S* \S*https:\/\/a\.example\/mcp(?! \(profile)/);
    expect(screen).toMatch(/c\.example\S* \(1\)[^]*c\.example\S* \(2\)/);
    type(keys.enter);
    const { code, screen: last } = await ended();
    expect(last).toContain(`Logged out at ${a} (profile work).`);
    expect(code).toBe(0);
    expect(await readLogins(storeIn(cwd))).toEqual([
      ...secrets.map(([url, profile]) => ({ url, profile })),
      { url: a, profile: "default" },
    ]);
  },
);

test("a logout completes the servers of its profile", async () => {
  const cwd = await folderWith([a, "default"], ["https://b.example/mcp", "work"]);
  const words = async (typed: string): Promise<string> =>
    (await tenon(["completion", "words", typed], { cwd })).stdout;
  expect(await words("logout")).toBe(`${a}\n`);
  expect(await words("logout --profile work")).toBe("https://b.example/mcp\n");
  expect((await words("call")).split("\n")).toEqual(
    expect.arrayContaining(["configured", a, "https://b.example/mcp"]),
  );
});

test("kept connections that cannot be listed do not hide the other servers, and are reported once", async () => {
  const user = await userWith([a, "default"]);
  daemonOf(user, (socket) => socket.end('{"error": "broken"}\n'));
  const warnings: string[] = [];
  const printer = { ...user.printer, warn: (message: string) => void warnings.push(message) };
  const known = await knownTargets({ ...user, printer }, "call");
  expect(known.map(({ word }) => word)).toEqual(["configured", a]);
  expect(warnings).toEqual(["The kept connections cannot be listed. broken"]);
});

test("a process that keeps connections and does not respond is not waited for", async () => {
  const user = await userWith();
  daemonOf(user, (socket) => socket.resume());
  await expect(askDaemon(user.shell, { action: "list" }, 20)).rejects.toThrow("did not respond within 20 ms");
});

test.each([undefined, 60_000])(
  "an interruption ends the wait for a process that keeps connections (limit %s)",
  async (limitMs) => {
    const interruption = new AbortController();
    const user = invocationUntil(interruption.signal);
    daemonOf(user, (socket) => socket.on("data", () => interruption.abort(new Interrupted())));
    await expect(askDaemon(user.shell, { action: "open" }, limitMs)).rejects.toThrow(Interrupted);
  },
);

test("a keychain that waits for the user does not delay the completion of configured servers", async () => {
  const cwd = await folderWith([a, "default"]);
  const preload = `--import ${pathToFileURL(fixture("locked-keychain.mjs")).href}`;
  const { stdout } = await tenonProcess(["completion", "words", "call"], cwd, { NODE_OPTIONS: preload });
  expect(stdout.split("\n")).toContain("configured");
});
