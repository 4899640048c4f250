import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { PassThrough, Writable, type Readable } from "node:stream";

import { isLocalError, Peer, type Request } from "@tenon/jsonrpc2";
import { beforeAll, expect, test } from "vitest";

import { StdioTransport } from "../src/index.ts";
import { program } from "./programs.ts";

let server = "";

beforeAll(async () => {
  server = await program("server");
});

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

/** A child whose pipes are operated by hand. */
function startRaw(env: Record<string, string> = {}): {
  child: Child;
  say: (message: object) => void;
  output: { stdout: string; stderr: string };
  exited: Promise<unknown[]>;
  next: () => Promise<unknown>;
} {
  const child = spawn(process.execPath, [server], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const output = { stdout: "", stderr: "" };
  let taken = 0;
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output.stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    output.stderr += text;
  });
  child.stdin.on("error", () => {});
  return {
    child,
    output,
    exited: once(child, "close"),
    say: (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`),
    async next() {
      for (;;) {
        const line = output.stdout.slice(taken).split("\n", 1)[0] ?? "";
        if (output.stdout.length > taken + line.length) {
          taken += line.length + 1;
          return JSON.parse(line);
        }
        await once(child.stdout, "data");
      }
    },
  };
}

test("a server answers on standard output, one message per line (S-019, R-250)", async () => {
  const { say, next, child, exited, output } = startRaw();
  say({ id: 1, method: "echo", params: { text: "a\nb" } });
  expect(await next()).toEqual({ jsonrpc: "2.0", id: 1, result: { text: "a\nb" } });
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
  expect(output.stdout).toBe('{"jsonrpc":"2.0","id":1,"result":{"text":"a\\nb"}}\n');
});

test("the end of standard input ends the session after what was in flight is answered, and the process (R-261)", async () => {
  const { say, child, exited, output } = startRaw();
  say({ id: 1, method: "slow", params: { ms: 200 } });
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
  expect(JSON.parse(output.stdout)).toEqual({ jsonrpc: "2.0", id: 1, result: "slow" });
  expect(output.stderr).toContain("closed");
});

test("a live timer does not keep a server whose client is gone (T-046)", async () => {
  const { say, child, exited, next } = startRaw({ TENON_TEST_TIMER: "1" });
  say({ id: 1, method: "echo" });
  await next();
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
});

test("a handler that never ends and a live timer together do not either", async () => {
  const { say, child, exited, next } = startRaw({ TENON_TEST_TIMER: "1" });
  say({ id: 1, method: "echo" });
  await next();
  say({ id: 2, method: "slow", params: { ms: 3_600_000 } });
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
});

test("what user code prints goes to standard error, and nothing but messages to standard output (R-252)", async () => {
  const { say, child, exited, next, output } = startRaw();
  say({ id: 1, method: "noise" });
  expect(await next()).toEqual({ jsonrpc: "2.0", id: 1, result: "quiet" });
  child.stdin.end();
  await exited;
  expect(output.stderr).toContain("stray log\n");
  expect(output.stderr).toContain("stray write\n");
  expect(output.stdout.trim().split("\n")).toHaveLength(1);
});

test("a client that closes its reading end (EPIPE) does not crash the server, which ends although its input has not", async () => {
  const { say, child, exited, output } = startRaw();
  child.stdout.destroy();
  for (let id = 1; id <= 50; id++) {
    say({ id, method: "echo", params: { text: "x".repeat(10_000) } });
  }
  const [code] = await exited;
  expect(code).toBe(0);
  expect(output.stderr).not.toMatch(/EPIPE|Unhandled|Error/);
});

test("malformed lines, CRLF and a byte order mark in one stream are survived (T-002)", async () => {
  const { child, say, next, exited } = startRaw();
  child.stdin.write("\uFEFF");
  say({ id: 1, method: "echo" });
  child.stdin.write('garbage\r\n\r\n{"jsonrpc":"2.0","id":2}\r\n[]\n');
  child.stdin.write(Buffer.of(0xff, 0x0a));
  child.stdin.write('{"jsonrpc":"2.0","id":3,"method":"echo"}\r\n');
  expect(await next()).toMatchObject({ id: 1, result: null });
  expect(await next()).toMatchObject({ id: null, error: { code: -32_700 } });
  expect(await next()).toMatchObject({ id: 2, error: { code: -32_600 } });
  expect(await next()).toMatchObject({ id: null, error: { code: -32_600 } });
  expect(await next()).toMatchObject({ id: null, error: { code: -32_700 } });
  expect(await next()).toMatchObject({ id: 3, result: null });
  // The last line needs no end, and half a message is answered too.
  child.stdin.end('{"jsonrpc":"2.0","id":4,"meth');
  expect(await next()).toMatchObject({ id: null, error: { code: -32_700 } });
  expect(await exited).toEqual([0, null]);
});

test("streams of one's own may take the place of the process's, which is then left alone", async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const before = Object.getOwnPropertyDescriptor(process.stdout, "write");
  const connection = await new StdioTransport({ stdin, stdout }).connect();
  expect(Object.getOwnPropertyDescriptor(process.stdout, "write")).toEqual(before);
  await using _peer = new Peer(connection, { handler: ({ params }) => params });
  stdin.write('{"jsonrpc":"2.0","id":1,"method":"echo","params":[1]}\n');
  const [text] = (await once(stdout, "data")) as [Buffer];
  expect(JSON.parse(text.toString())).toEqual({ jsonrpc: "2.0", id: 1, result: [1] });
});

test("standard output is diverted while connected, if asked, and put back afterwards", async () => {
  const before = Object.getOwnPropertyDescriptor(process.stdout, "write");
  const connection = await new StdioTransport({
    stdin: new PassThrough(),
    stdout: new PassThrough(),
    divertStdout: true,
  }).connect();
  expect(Object.getOwnPropertyDescriptor(process.stdout, "write")).not.toEqual(before);
  await connection.close();
  expect(Object.getOwnPropertyDescriptor(process.stdout, "write")).toEqual(before);
});

test("a transport connects once", async () => {
  const transport = new StdioTransport({ stdin: new PassThrough(), stdout: new PassThrough() });
  expect(await transport.connect({ signal: AbortSignal.abort("no") }).catch((error: unknown) => error)).toBe(
    "no",
  );
  await transport.connect();
  const error: unknown = await transport.connect().catch((caught: unknown) => caught);
  expect(isLocalError(error, "INVALID_STATE")).toBe(true);
});

test("a client that never reads blocks writers, beyond a bound refuses them, and does not hold up close (T-047)", async () => {
  const stdout = new Writable({ highWaterMark: 1000, write() {} });
  const limits = { maxBufferedBytes: 1000 };
  const connection = await new StdioTransport({ stdin: new PassThrough(), stdout, limits }).connect();
  const outcomes: string[] = [];
  const message = { jsonrpc: "2.0", method: "m", params: ["x".repeat(900)] } as const;
  const writes = Array.from({ length: 30 }, () =>
    connection.write(message).then(
      () => outcomes.push("accepted"),
      (error: unknown) => outcomes.push(isLocalError(error) ? error.code : String(error)),
    ),
  );
  await new Promise(setImmediate);
  expect(outcomes).toContain("accepted");
  expect(outcomes.filter((outcome) => outcome === "LIMIT_EXCEEDED").length).toBeGreaterThan(5);
  expect(outcomes.length).toBeLessThan(30);
  await connection.close();
  await Promise.all(writes);
  expect(outcomes.filter((outcome) => outcome === "CONNECTION_CLOSED").length).toBeGreaterThan(5);
});

test("a slow client gets 50,000 notifications completely (T-047)", async () => {
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const serverSide = await new StdioTransport({ stdin: toServer, stdout: toClient }).connect();
  const clientSide = await new StdioTransport({ stdin: toClient, stdout: toServer }).connect();
  const sending = (async () => {
    for (let n = 0; n < 50_000; n++) {
      await serverSide.write({ jsonrpc: "2.0", method: "n", params: { n, padding: "x".repeat(200) } });
    }
  })();
  for (let turn = 0; turn < 1000; turn++) {
    await new Promise(setImmediate);
  }
  expect(toClient.readableLength + toClient.writableLength).toBeLessThan(4 * 1024 * 1024);
  for (let n = 0; n < 50_000; n++) {
    expect(await clientSide.read()).toMatchObject({ params: { n } });
  }
  await sending;
  await Promise.all([serverSide.close(), clientSide.close()]);
});

test("a long result above the limit of unread bytes becomes an error, and a short one is sent, so that the client waits for neither", async () => {
  const [stdin, stdout] = [new PassThrough(), new PassThrough({ highWaterMark: 100 })];
  const transport = new StdioTransport({
    stdin,
    stdout,
    limits: { maxBufferedBytes: 12_500 },
  });
  const errors: unknown[] = [];
  const lengths = new Map([
    ["first", 250_000],
    ["long", 100_000],
    ["short", 1],
  ]);
  const peer = new Peer(await transport.connect(), {
    handler: ({ method }) => "x".repeat(lengths.get(method) ?? 0),
    onError: (error) => errors.push(error),
  });
  for (const [index, method] of [...lengths.keys()].entries()) {
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: index + 1, method })}\n`);
  }
  while (errors.length === 0) {
    await new Promise(setImmediate);
  }
  const client = await new StdioTransport({ stdin: stdout, stdout: stdin }).connect();
  const read = [await client.read(), await client.read(), await client.read()];
  expect(read.toSorted((a, b) => Number((a as Request).id) - Number((b as Request).id))).toEqual([
    { jsonrpc: "2.0", id: 1, result: "x".repeat(250_000) },
    {
      jsonrpc: "2.0",
      id: 2,
      error: { code: -32603, message: "The result could not be sent: it exceeds a limit of the connection" },
    },
    { jsonrpc: "2.0", id: 3, result: "x" },
  ]);
  expect(errors).toMatchObject([{ code: "LIMIT_EXCEEDED" }]);
  await Promise.all([peer.close({ drainMs: 0 }), client.close()]);
});
