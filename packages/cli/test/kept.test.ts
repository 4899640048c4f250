import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo, type Server as NetServer } from "node:net";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { Keeper } from "../src/daemon/keeper.ts";
import { startLock } from "../src/daemon/start-lock.ts";
import { askDaemon } from "../src/kept/client.ts";
import { socketPath } from "../src/kept/socket.ts";
import { readLine, socketStream } from "../src/kept/stream.ts";
import { Interrupted, type Shell } from "../src/shell.ts";
import { deadProxy } from "./dead-proxy.ts";
import { invocationUntil } from "./invocation.ts";
import { protectedServer } from "./protected-server.ts";
import { fixture, self, temporaryFolder, tenon, tenonProcess, type Ran } from "./support.ts";

interface Home {
  readonly cwd: string;
  readonly socket: string;
  /** Runs a command in a process. */
  run(...argv: readonly string[]): Promise<Ran>;
  /** Runs a command in this process, which takes less time. */
  here(...argv: readonly string[]): Promise<Ran>;
  /** The processes of servers that were started, in order. */
  servers(): readonly number[];
  /** The words that start a server, which writes its process ID. */
  readonly server: readonly string[];
}

/** A user with a runtime folder, whose commands are processes. */
function home(): Home {
  const cwd = temporaryFolder();
  const pids = join(cwd, "pids");
  const script = join(cwd, "server.mjs");
  const body = `import { appendFileSync } from "node:fs"; appendFileSync(${JSON.stringify(pids)}, process.pid + "\\n"); await import(${JSON.stringify(fixture("loud.mjs"))});`;
  writeFileSync(script, body);
  const { VITEST: _, ...env } = process.env;
  const run = (...argv: readonly string[]): Promise<Ran> =>
    new Promise((resolve) => {
      const [command, ...args] = self;
      execFile(
        command,
        [...args, ...argv],
        { cwd, env: { ...env, HOME: cwd, XDG_RUNTIME_DIR: cwd, XDG_DATA_HOME: cwd, XDG_CONFIG_HOME: cwd } },
        (error, stdout, stderr) =>
          resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
      );
    });
  const servers = (): readonly number[] =>
    existsSync(pids) ? readFileSync(pids, "utf8").trim().split("\n").map(Number) : [];
  const here = (...argv: readonly string[]): Promise<Ran> =>
    tenon(argv, { cwd, env: { XDG_RUNTIME_DIR: cwd } });
  onTestFinished(async () => {
    for (const name of ["a", "b", "x"]) {
      await here("disconnect", name);
    }
  });
  return {
    cwd,
    socket: join(cwd, "tenon/daemon.sock"),
    run,
    here,
    servers,
    server: ["--", process.execPath, script],
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("a kept connection has the folder, the variables and the proxies of the command that opens it, not of the first", async () => {
  const { cwd, run, here, server } = home();
  expect((await run("connect", "--name", "a", ...server)).code).toBe(0);
  const folder = temporaryFolder();
  const config = { mcpServers: { x: { command: process.execPath, args: ["own.mjs"] } } };
  writeFileSync(join(folder, "mcp.json"), JSON.stringify(config));
  writeFileSync(join(folder, "own.mjs"), `await import(${JSON.stringify(fixture("loud.mjs"))});`);
  const proxy = await deadProxy();
  const env = { XDG_RUNTIME_DIR: cwd, TZ: "Asia/Tokyo", HTTP_PROXY: proxy.url, NO_PROXY: "" };
  const connected = await tenonProcess(["connect", "x", "--config", "mcp.json"], folder, env);
  expect(connected).toMatchObject({ code: 0, stderr: "" });
  const { stdout } = await here("call", "@x", "echo", "name=TZ");
  expect(stdout).toBe("Asia/Tokyo\n");
  const remote = await tenonProcess(["connect", "http://mcp.example.com/", "--name", "b"], folder, env);
  expect(remote.code).not.toBe(0);
  expect(proxy.connections()).toBeGreaterThan(0);
});

test("two connections that are opened at once, before anything runs, are both kept by one process", async () => {
  const { run, here, server, servers } = home();
  const both = await Promise.all([
    run("connect", "--name", "a", ...server),
    run("connect", "--name", "b", ...server),
  ]);
  expect(both.map(({ code, stderr }) => ({ code, stderr }))).toEqual([
    { code: 0, stderr: "" },
    { code: 0, stderr: "" },
  ]);
  const { stdout } = await here("connections");
  expect(stdout).toContain("@a ");
  expect(stdout).toContain("@b ");
  expect(await here("disconnect", "@a")).toMatchObject({ code: 0 });
  expect(await here("disconnect", "@b")).toMatchObject({ code: 0, stderr: "" });
  await expect.poll(() => servers().filter(isAlive)).toEqual([]);
  expect(servers()).toHaveLength(2);
});

test("of two commands that keep the same name at once, one is refused, and nothing of it is left", async () => {
  const { run, here, server, servers } = home();
  await here("connect", "--name", "a", ...server);
  const both = await Promise.all([
    run("connect", "--name", "x", ...server),
    run("connect", "--name", "x", ...server),
  ]);
  expect(both.map(({ code }) => String(code)).toSorted((a, b) => a.localeCompare(b))).toEqual(["0", "3"]);
  expect(both.map(({ stderr }) => stderr).join("")).toContain("@x is connected already.");
  expect(servers()).toHaveLength(2);
});

test("the last connection is disconnected without an error, and its commands print no warning of Node", async () => {
  const { run, here, server, socket } = home();
  for (const _ of [1, 2]) {
    await here("connect", "--name", "x", ...server);
    expect(await run("call", "@x", "echo")).toEqual({ code: 0, stdout: "unset\n", stderr: "" });
    expect(await run("disconnect", "@x")).toEqual({ code: 0, stdout: "@x is disconnected.\n", stderr: "" });
    await expect.poll(() => existsSync(socket)).toBe(false);
  }
});

test("a login by the name of a kept connection is that of its server, and its logout ends the connection", async () => {
  const { here, cwd } = home();
  const url = await protectedServer();
  const logIn = (target: string): Promise<Ran> =>
    tenon(["login", target, "--no-browser", "--scope", "notes:write"], {
      cwd,
      env: { XDG_RUNTIME_DIR: cwd },
      onWrite(_, written) {
        const [page] = /http:\S+\/authorize\?\S+/.exec(written) ?? [];
        if (page !== undefined) {
          void fetch(page);
        }
      },
    });
  const refused = await here("connect", url);
  expect(refused).toMatchObject({ code: 4 });
  expect(refused.stderr).toContain(`log in with \`tenon login ${url}`);
  await logIn(url);
  const name = new URL(url).host.replace(":", "-");
  expect(await here("connect", url)).toMatchObject({
    code: 0,
    stdout: `@${name} is connected.\ntry: tenon list @${name}\n`,
  });
  expect(await logIn(`@${name}`)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Logged in at @${name} by `),
  });
  expect(await here("call", `@${name}`, "echo")).toMatchObject({ code: 0 });
  expect(await here("logout", url, "--profile", "other")).toMatchObject({ code: 0, stderr: "" });
  expect(await here("call", `@${name}`, "echo")).toMatchObject({ code: 0 });
  expect(await here("logout", `@${name}`)).toMatchObject({
    code: 0,
    stdout: `Logged out at @${name}.\n`,
    stderr: `@${name} is disconnected.\n`,
  });
  expect(await here("call", `@${name}`, "echo")).toMatchObject({ code: 3 });
  expect(await here("tools", url)).toMatchObject({ code: 4 });
});

test("a login by the name of a kept program says that there is none", async () => {
  const { here, server } = home();
  await here("connect", "--name", "x", ...server);
  expect(await here("logout", "@x")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("@x is not a remote server"),
  });
});

test("a socket that answers stays in place when a second process is started", async () => {
  const { run, here, server } = home();
  await here("connect", "--name", "x", ...server);
  expect(await run("daemon")).toMatchObject({ code: 0, stderr: expect.stringContaining("already") });
  expect((await here("call", "@x", "echo")).stdout).toBe("unset\n");
});

test("the socket and the lock of processes that were killed are taken over", async () => {
  const { here, server, cwd, socket } = home();
  mkdirSync(join(cwd, "tenon"), { mode: 0o700 });
  const dead = await new Promise<number>((resolve) => {
    const code = `require("node:net").createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, "SIGKILL"))`;
    const child = execFile(process.execPath, ["-e", code], () => resolve(child.pid ?? 0));
  });
  expect(existsSync(socket)).toBe(true);
  writeFileSync(`${socket}.lock`, `${dead} left`);
  expect(await here("connect", "--name", "x", ...server)).toMatchObject({ code: 0, stderr: "" });
  expect(existsSync(`${socket}.lock`)).toBe(false);
});

test("a start waits for the start of another process, and never takes the lock of one that lives", async () => {
  const path = join(temporaryFolder(), "lock");
  const first = await startLock(path);
  let hasSecond = false;
  const second = startLock(path).then((lock) => {
    hasSecond = true;
    return lock;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasSecond).toBe(false);
  await first[Symbol.asyncDispose]();
  await (await second)[Symbol.asyncDispose]();
  expect(existsSync(path)).toBe(false);
});

test.each([
  [
    "has a mode that lets others in",
    "chmod 700",
    (folder: string) => (mkdirSync(folder), chmodSync(folder, 0o777)),
  ],
  [
    "is a symbolic link",
    "remove",
    (folder: string) => (mkdirSync(`${folder}-real`, 0o700), symlinkSync(`${folder}-real`, folder)),
  ],
])("a runtime folder that %s is refused at once, with the reason", async (_, hint, make) => {
  const { here, server, cwd, servers } = home();
  make(join(cwd, "tenon"));
  const { code, stderr } = await here("connect", "--name", "x", ...server);
  expect(code).toBe(3);
  expect(stderr).toContain(`${join(cwd, "tenon")} must be a folder of this user alone`);
  expect(stderr).toContain(`try: ${hint}`);
  expect(servers()).toEqual([]);
});

/** A server that accepts connections and sends nothing. */
async function silence(): Promise<NetServer> {
  const server = createServer((socket) => socket.on("error", () => {}));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return server;
}

test("connections that are being opened count against the maximum, and their names are reserved", async () => {
  const server = await silence();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  const end = new AbortController();
  const keeper = new Keeper(invocationUntil(end.signal));
  const open = (name: string): Promise<object> =>
    keeper.open({
      name,
      label: name,
      spec: { type: "http", url, headers: { authorization: "x" } },
      ttlMs: 1000,
    });
  const opening = Promise.allSettled(Array.from({ length: 64 }, (_, index) => open(`c${index}`)));
  await expect(open("c0")).rejects.toThrow("@c0 is connected already.");
  await expect(open("more")).rejects.toThrow("At most 64 connections are kept.");
  end.abort(new Interrupted());
  expect(new Set((await opening).map(({ status }) => status))).toEqual(new Set(["rejected"]));
  await keeper.close();
});

test.each([
  ["the message alone, of an earlier version", "It did not start.", { kind: "connection" }],
  ["a kind without a hint", { kind: "protocol", message: "It did not start." }, { kind: "protocol" }],
])("an error of the process that keeps connections is an error: %s", async (_, error, expected) => {
  const shell = {
    env: { XDG_RUNTIME_DIR: temporaryFolder() },
    platform: process.platform,
  } as unknown as Shell;
  const server = createServer((client) => {
    client.on("data", () => client.end(`${JSON.stringify({ error, isEnding: false })}\n`));
  });
  await new Promise<void>((resolve) => void server.listen(socketPath(shell), resolve));
  onTestFinished(() => void server.close());
  const asked = askDaemon(shell, { action: "open", name: "x" });
  await expect(asked).rejects.toMatchObject({ message: "It did not start.", ...expected });
});

test("reads and writes at a socket leave no listeners behind", async () => {
  const server = createServer((socket) => void socket.pipe(socket));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { connect } = await import("node:net");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  const count = (): number => socket.eventNames().reduce((sum, name) => sum + socket.listenerCount(name), 0);
  socket.write("line\n");
  expect(await readLine(socket)).toBe("line");
  const stream = socketStream(socket);
  const before = count();
  for (let round = 0; round < 30; round++) {
    const reading = stream.read();
    await stream.write(`round ${round}`);
    await reading;
  }
  expect(count()).toBeLessThanOrEqual(before + 1);
  await stream.close();
});
