import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";

import { isLocalError, Peer, type Incoming } from "@tenon/jsonrpc2";
import { isRunning } from "@tenon/test-support/processes";
import { afterAll, beforeAll, expect, test } from "vitest";

import { mergeEnvironments } from "../src/environment.ts";
import {
  allowedEnvironment,
  CommandTransport,
  nodeLauncher,
  StdioTransport,
  type CommandConnection,
  type CommandOptions,
  type LaunchRequest,
} from "../src/index.ts";
import { program, script } from "./programs.ts";

const onPosix = process.platform !== "win32";
let server = "";
let folder = "";

beforeAll(async () => {
  server = await program("server");
  folder = await mkdtemp(join(tmpdir(), "tenon-stdio-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

const start = (text: string, options?: Partial<CommandOptions>): Promise<CommandConnection> =>
  new CommandTransport({ ...script(text), stderr: "ignore", ...options }).connect();

const startServer = (options?: Partial<CommandOptions>): Promise<CommandConnection> =>
  new CommandTransport({ command: process.execPath, args: [server], stderr: "ignore", ...options }).connect();

async function readAll(connection: CommandConnection): Promise<{ read: Incoming[]; error?: unknown }> {
  const read: Incoming[] = [];
  try {
    for (let next = await connection.read(); next !== undefined; next = await connection.read()) {
      read.push(next);
    }
    return { read };
  } catch (error) {
    return { read, error };
  }
}

/** Waits until a file has content. */
async function contentOf(path: string): Promise<string> {
  for (;;) {
    const content = await readFile(path, "utf8").catch(() => "");
    if (content.endsWith("\n")) {
      return content;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 10);
    });
  }
}

test("connect starts the program, and messages flow over its pipes (S-017, S-230)", async () => {
  const connection = await startServer();
  expect(connection.alive).toBe(true);
  expect(isRunning(connection.pid ?? 0)).toBe(true);
  const peer = new Peer(connection);
  expect(await peer.call("echo", { a: "é漢👍" })).toEqual({ a: "é漢👍" });
  await peer.close();
  expect(await connection.exited).toEqual({ code: 0, signal: null });
  expect(connection.alive).toBe(false);
  expect(isRunning(connection.pid ?? 0)).toBe(false);
});

test("each connect starts a process of its own", async () => {
  const transport = new CommandTransport({ command: process.execPath, args: [server], stderr: "ignore" });
  const [one, two] = await Promise.all([transport.connect(), transport.connect()]);
  expect(one.pid).not.toBe(two.pid);
  await Promise.all([one.close(), two.close()]);
});

test("a program that cannot be started rejects connect, with the reason as cause", async () => {
  const transport = new CommandTransport({ command: "tenon-no-such-program" });
  const error: unknown = await transport.connect().catch((caught: unknown) => caught);
  expect(isLocalError(error, "CONNECTION_CLOSED")).toBe(true);
  expect(error).toMatchObject({
    message: expect.stringContaining("tenon-no-such-program") as string,
    cause: { code: "ENOENT" },
  });
});

test("a launcher is injected and sees what is to be started; one that throws rejects connect (S-216)", async () => {
  const seen: LaunchRequest[] = [];
  const connection = await startServer({
    cwd: folder,
    env: { TENON_TEST: "yes" },
    inheritEnv: "none",
    launcher: {
      launch(request) {
        seen.push(request);
        return nodeLauncher.launch(request);
      },
    },
  });
  expect(seen).toEqual([
    { command: process.execPath, args: [server], cwd: folder, env: { TENON_TEST: "yes" }, stderr: "pipe" },
  ]);
  await connection.close();
  const failing = startServer({
    launcher: {
      launch() {
        throw new Error("not here");
      },
    },
  });
  await expect(failing).rejects.toMatchObject({ code: "CONNECTION_CLOSED", cause: { message: "not here" } });
});

test("an abort during connect rejects at once, however long the launcher takes, and the child is killed", async () => {
  const abort = new AbortController();
  let pid: number | undefined;
  let exited: Promise<unknown> = Promise.resolve();
  const attempt = new CommandTransport({
    command: process.execPath,
    args: [server],
    launcher: {
      async launch(request) {
        const child = await nodeLauncher.launch(request);
        ({ pid, exited } = child);
        abort.abort("enough");
        await new Promise((resolve) => {
          setTimeout(resolve, 100);
        });
        return child;
      },
    },
  }).connect({ signal: abort.signal });
  await expect(attempt).rejects.toBe("enough");
  expect(await exited).toEqual({ code: null, signal: "SIGKILL" });
  expect(isRunning(pid ?? 0)).toBe(false);

  const never = new CommandTransport({ command: "x", launcher: { launch: () => new Promise(() => {}) } });
  const late = new AbortController();
  const waiting = never.connect({ signal: late.signal });
  late.abort("enough");
  await expect(waiting).rejects.toBe("enough");
});

test("an abort while the process starts ends it and everything it started", async () => {
  const abort = new AbortController();
  let exited: Promise<unknown> = Promise.resolve();
  const transport = new CommandTransport({
    ...script("setInterval(() => {}, 1000)"),
    stderr: "ignore",
    launcher: {
      async launch(request) {
        const child = await nodeLauncher.launch(request);
        exited = child.exited;
        abort.abort("enough");
        return child;
      },
    },
  });
  await expect(transport.connect({ signal: abort.signal })).rejects.toBe("enough");
  expect(await exited).toEqual({ code: null, signal: "SIGKILL" });
});

test("aborting the signal of connect later does nothing (S-234)", async () => {
  const abort = new AbortController();
  const transport = new CommandTransport({ command: process.execPath, args: [server], stderr: "ignore" });
  const peer = new Peer(await transport.connect({ signal: abort.signal }));
  abort.abort();
  expect(await peer.call("echo", [1])).toEqual([1]);
  await peer.close();
});

// What is written here fits into a pipe: nobody reads before the child has ended.
test("the last lines before the end are delivered, then the stream ends (S-233)", async () => {
  const connection = await start(
    `for (let n = 0; n < 500; n++) say({ method: "m", params: { n } }); say({ method: "last" })`,
  );
  await connection.exited;
  const { read, error } = await readAll(connection);
  expect(error).toBeUndefined();
  expect(read).toHaveLength(501);
  expect(read.at(-1)).toMatchObject({ method: "last" });
  await connection.close();
});

test("a child that fails breaks the stream with its code and its last words (S-221)", async () => {
  const connection = await start(`say({ method: "m" }); console.error("no database"); process.exitCode = 3`);
  const { read, error } = await readAll(connection);
  expect(read).toHaveLength(1);
  expect(isLocalError(error, "CONNECTION_CLOSED")).toBe(true);
  expect(error).toMatchObject({
    message: expect.stringMatching(/ended with code 3[^]*no database/) as string,
  });
  expect(await connection.exited).toEqual({ code: 3, signal: null });
  await connection.close();
});

test("the last words of a child do nothing to the terminal that they are shown on", async () => {
  const connection = await start(
    `console.error("\\u001B]0;title\\u0007red\\u001B[31m"); process.exitCode = 1`,
  );
  const { error } = await readAll(connection);
  const { message } = error as Error;
  expect(message).toContain("red");
  expect(message.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
  await connection.close();
});

test.runIf(onPosix)("a child that is killed breaks the stream with the name of the signal", async () => {
  const connection = await start(`setInterval(() => {}, 1000); process.kill(process.pid, "SIGKILL")`);
  const { error } = await readAll(connection);
  expect(error).toMatchObject({ message: expect.stringContaining("ended by SIGKILL") as string });
  await connection.close();
});

test("a child that exits in the middle of a call rejects it with the reason", async () => {
  const peer = new Peer(await startServer());
  const error: unknown = await peer.call("exit", { code: 7 }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    code: "CONNECTION_CLOSED",
    cause: { message: expect.stringContaining("code 7") as string },
  });
  expect(await peer.closed).toMatchObject({ error: { code: "CONNECTION_CLOSED" } });
});

test("a call made after the child has ended does not take the answers that are still on their way", async () => {
  const peer = new Peer(
    await start(`lines(({ id }) => { say({ id, result: "answer" }); process.stdin.destroy(); })`),
  );
  const first = peer.call("m");
  const later = (async () => {
    for (;;) {
      await peer.notify("n", { padding: "x".repeat(100_000) });
    }
  })().catch((error: unknown) => error);
  expect(await first).toBe("answer");
  expect(isLocalError(await later, "CONNECTION_CLOSED")).toBe(true);
  await peer.closed;
});

test("garbage on standard output is answered, and the conversation goes on", async () => {
  const connection = await start(`
    process.stdout.write("Debugger listening on ws://\\n\\n{\\n\\u0000\\n");
    process.stdout.write(Buffer.from([0x22, 0xff, 0xfe, 0x22, 0x0a]));
    const codes = [];
    let call;
    lines(({ id, error, method }) => {
      if (error) codes.push(error.code);
      if (method) call = id;
      if (call !== undefined && codes.length === 4) say({ id: call, result: codes });
    });`);
  await using peer = new Peer(connection);
  expect(await peer.call("codes")).toEqual([-32_700, -32_700, -32_700, -32_700]);
});

test("a flood on standard error neither blocks the child nor grows without bound; lines reach the function (S-231)", async () => {
  let bytes = 0;
  let lines = 0;
  const peer = new Peer(
    await startServer({
      stderr(line) {
        bytes += line.length;
        lines++;
        if (lines % 2 === 0) {
          throw new Error("a listener that throws is ignored");
        }
      },
    }),
  );
  const text = `${"e".repeat(99)}\n`.repeat(100);
  for (let n = 0; n < 200; n++) {
    await peer.call("stderr", { text });
  }
  await peer.call("stderr", { text: "x".repeat(200_000) });
  expect(await peer.call("echo", ["fine"])).toEqual(["fine"]);
  await peer.close();
  expect(bytes).toBeGreaterThanOrEqual(200 * 100 * 99 + 200_000);
  expect(lines).toBeGreaterThan(20_000);
});

test("CRLF and a half-written last line are tolerated", async () => {
  const connection = await start(
    `process.stdout.write('{"jsonrpc":"2.0","method":"a"}\\r\\n\\r\\n{"jsonrpc":"2.0","method":"b"}')`,
  );
  expect((await readAll(connection)).read).toEqual([
    { jsonrpc: "2.0", method: "a" },
    { jsonrpc: "2.0", method: "b" },
  ]);
  await connection.close();
  const broken = await start(`process.stdout.write('{"jsonrpc":"2.0","meth')`);
  expect((await readAll(broken)).read).toMatchObject([{ malformed: { code: -32_700 } }]);
  await broken.close();
});

test("a line of 8 MB passes both ways", async () => {
  await using peer = new Peer(await startServer());
  const text = "é".repeat(4 * 1024 * 1024);
  expect(await peer.call("echo", { text })).toEqual({ text });
});

test("a client reads as long a message from a program as over HTTP, a server no longer one than before", async () => {
  await using peer = new Peer(await startServer());
  const { length } = JSON.stringify(await peer.call("big", { bytes: 12_000_000 }));
  expect(length).toBeGreaterThan(12_000_000);
  const stdin = new PassThrough();
  await using server = await new StdioTransport({ stdin, stdout: new PassThrough() }).connect();
  stdin.write(`{"jsonrpc":"2.0","id":1,"method":"m","params":["${"x".repeat(12_000_000)}"]}\n`);
  expect(await server.read()).toMatchObject({
    malformed: { message: expect.stringContaining("longer than 10485760 bytes") as string },
  });
});

test("a line over the limit is answered with its id and skipped, and reading goes on, on both sides", async () => {
  await using peer = new Peer(await startServer({ limits: { maxMessageBytes: 1024 * 1024 } }));
  await expect(peer.call("echo", { text: "x".repeat(17 * 1024 * 1024) })).rejects.toMatchObject({
    code: -32_600,
    message: expect.stringContaining("longer than") as string,
  });
  const error: unknown = await peer.call("big", { bytes: 2_000_000 }).catch((caught: unknown) => caught);
  expect(error).toMatchObject({
    code: "LIMIT_EXCEEDED",
    message: expect.stringMatching(/1048576 .*maxMessageBytes/) as string,
    received: { name: "maxMessageBytes", maximum: 1_048_576 },
  });
  expect(await peer.call("echo", ["fine"])).toEqual(["fine"]);
});

test("a child gets the environment that is allowed, none, or all, and what is set, such as its credentials (R-265, T-054)", async () => {
  process.env["TENON_TEST_SECRET"] = "secret";
  const environments = await Promise.all(
    (["allowed", "none", "all"] as const).map(async (inheritEnv) => {
      await using peer = new Peer(await startServer({ inheritEnv, env: { OWN: "1" } }));
      return (await peer.call("env")) as Record<string, string>;
    }),
  );
  delete process.env["TENON_TEST_SECRET"];
  expect(
    environments.map((env) => [env["OWN"], env["PATH"] !== undefined, env["TENON_TEST_SECRET"]]),
  ).toEqual([
    ["1", true, undefined],
    ["1", false, undefined],
    ["1", true, "secret"],
  ]);
});

test("the allow-list knows the platform, and leaves exported functions out", () => {
  const from = {
    PATH: "/bin",
    Path: "C:\\",
    SystemRoot: "C:\\Windows",
    HOME: "/root",
    LC_ALL: "C",
    AWS_SECRET: "x",
    SHELL: "() { evil; }",
    TERM: undefined,
  };
  expect(allowedEnvironment(from, "linux")).toEqual({ PATH: "/bin", HOME: "/root", LC_ALL: "C" });
  expect(allowedEnvironment(from, "win32")).toEqual({
    PATH: "/bin",
    Path: "C:\\",
    SystemRoot: "C:\\Windows",
  });
  expect(mergeEnvironments({ Path: "a", HOME: "h" }, { PATH: "b" }, "win32")).toEqual({
    HOME: "h",
    PATH: "b",
  });
  expect(mergeEnvironments({ Path: "a", HOME: "h" }, { PATH: "b" }, "linux")).toEqual({
    Path: "a",
    HOME: "h",
    PATH: "b",
  });
});

test("arguments reach the program as they are; no shell looks at them", async () => {
  const odd = ['a "quoted" b', "$HOME; echo x", "*", "", "é漢", "a\nb", "%PATH%", "^&|<>"];
  const { command, args } = script(`say({ method: "args", params: process.argv.slice(1) })`);
  const connection = await new CommandTransport({ command, args: [...args, ...odd] }).connect();
  expect(await connection.read()).toMatchObject({ params: odd });
  await connection.close();
});

test.runIf(onPosix)("a child that ignores the end of its input and SIGTERM is killed (R-260)", async () => {
  const connection = await start(
    `process.on("SIGTERM", () => say({ method: "ignored" })); setInterval(() => {}, 1000); say({ method: "ready" })`,
    {
      shutdown: [
        { action: "close-stdin", waitMs: 100 },
        { action: "SIGTERM", waitMs: 100 },
        { action: "SIGKILL", waitMs: 5000 },
      ],
    },
  );
  await connection.read();
  await connection.close();
  expect(await connection.exited).toEqual({ code: null, signal: "SIGKILL" });
});

test("a child that blocks on a full pipe can still end when its input does", async () => {
  const connection = await start(`
    process.stdin.resume().on("end", () => process.exit(0));
    const more = () => { while (process.stdout.write("x".repeat(1000) + "\\n")); process.stdout.once("drain", more); };
    more();`);
  await connection.read();
  await connection.close();
  expect(await connection.exited).toMatchObject({ signal: null });
});

const startFamily = (
  file: string,
  behaviour: string,
  options: Partial<CommandOptions>,
): Promise<CommandConnection> =>
  new CommandTransport({
    command: process.execPath,
    args: [fileURLToPath(new URL("fixtures/family.mjs", import.meta.url)), "2", file, behaviour],
    stderr: "ignore",
    ...options,
  }).connect();

test.runIf(onPosix).each(["ends with its input", "is stubborn", "ends early"])(
  "all descendants of a child that %s are gone after close (T-053)",
  async (behaviour) => {
    const file = join(folder, behaviour);
    const connection = await startFamily(file, behaviour, {
      shutdown: [
        { action: "close-stdin", waitMs: 300 },
        { action: "SIGTERM", waitMs: 300 },
        { action: "SIGKILL", waitMs: 5000 },
      ],
    });
    const pids = (await contentOf(file)).trim().split(" ").map(Number);
    expect(pids).toHaveLength(2);
    expect(pids.filter((pid) => !isRunning(pid))).toEqual([]);
    await connection.close();
    expect([connection.pid ?? 0, ...pids].filter(isRunning)).toEqual([]);
  },
);

test.runIf(onPosix)("a child whose descendants hold the pipe open still ends the stream", async () => {
  const file = join(folder, "holder");
  const connection = await startFamily(file, "ends early", {
    shutdown: [{ action: "SIGKILL", waitMs: 5000 }],
  });
  expect((await readAll(connection)).read).toMatchObject([{ method: "last" }]);
  await contentOf(file);
  await connection.close();
});

test("a program found on PATH by its name is started", async () => {
  if (onPosix) {
    const path = join(folder, "tenon-test-program");
    await writeFile(path, `#!/bin/sh\necho '{"jsonrpc":"2.0","method":"found"}'\n`, { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env["PATH"] ?? ""}` };
    const connection = await new CommandTransport({ command: "tenon-test-program", env }).connect();
    expect(await connection.read()).toMatchObject({ method: "found" });
    await connection.close();
  }
});

test("many connections one after the other leave no listener on this process", async () => {
  const before = process.listenerCount("exit");
  for (let n = 0; n < 15; n++) {
    await (await start("")).close();
  }
  expect(process.listenerCount("exit")).toBeLessThanOrEqual(before + 1);
});

test("a function for lines of standard error that rejects is as harmless as one that throws", async () => {
  const lines: string[] = [];
  const stderr = (line: string): unknown => {
    lines.push(line);
    return Promise.reject(new Error("no place to put it"));
  };
  const connection = await start("console.error('one'); console.error('two')", { stderr });
  expect((await readAll(connection)).read).toEqual([]);
  await expect.poll(() => lines).toEqual(["one", "two"]);
  await connection.close();
});
