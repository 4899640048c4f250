import { PassThrough } from "node:stream";

import { encode, type Message } from "@tenon/jsonrpc2";
import { beforeAll, expect, test } from "vitest";

import { CommandTransport, nodeLauncher, StdioTransport, type ProcessLauncher } from "../src/index.ts";
import { program, script } from "./programs.ts";

let server = "";

beforeAll(async () => {
  server = await program("server");
});

/** Texts that a careless writer would break a line at, and a careless reader in a character. */
const texts = [
  "a\nb\r\nc\rd",
  "\u2028\u2029\u0085\u000b\u000c",
  "é漢👍🏽",
  "\ud83d",
  '"\\"\u0000\u007f',
  "\uFEFF",
];

test("a client starts a process and a server is one: two types for the two ends of the same wire (S-016)", async () => {
  const client = new CommandTransport({ command: process.execPath, args: [server], stderr: "ignore" });
  const own = new StdioTransport({ stdin: new PassThrough(), stdout: new PassThrough() });
  expect(client).not.toBeInstanceOf(StdioTransport);
  expect(own).not.toBeInstanceOf(CommandTransport);
  const connection = await client.connect();
  await connection.write({ jsonrpc: "2.0", id: 1, method: "echo", params: { a: 1 } });
  expect(await connection.read()).toEqual({ jsonrpc: "2.0", id: 1, result: { a: 1 } });
  await connection.close();
});

test("each message is one line that ends in a line feed, whatever its texts are (S-018, R-251)", async () => {
  const stdout = new PassThrough();
  const connection = await new StdioTransport({ stdin: new PassThrough(), stdout }).connect();
  for (const text of texts) {
    await connection.write({ jsonrpc: "2.0", method: "m", params: { text } });
  }
  await connection.close();
  const written = (stdout.read() as Buffer).toString("utf8");
  expect(written.endsWith("\n")).toBe(true);
  expect(written).not.toContain("\r");
  const lines = written.slice(0, -1).split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { params: { text: string } }).params.text)).toEqual(texts);
  for (const line of lines) {
    expect(line).toBe(JSON.stringify(JSON.parse(line)));
  }
});

test("a message arrives whole wherever the pipe cuts it, also in the middle of a character (R-251)", async () => {
  const messages = texts
    .slice(0, 3)
    .map((text, id): Message => ({ jsonrpc: "2.0", id, method: "m", params: { text } }));
  const bytes = Buffer.from(messages.map((message) => `${encode(message)}\n`).join(""));
  for (let cut = 1; cut < bytes.length; cut++) {
    const stdin = new PassThrough();
    const connection = await new StdioTransport({ stdin, stdout: new PassThrough() }).connect();
    stdin.write(bytes.subarray(0, cut));
    stdin.end(bytes.subarray(cut));
    for (const message of messages) {
      expect(await connection.read()).toEqual(message);
    }
    expect(await connection.read()).toBeUndefined();
    await connection.close();
  }
});

test("a server's standard input gets the messages of its client and nothing else, to the end (R-253)", async () => {
  let written = "";
  const launcher: ProcessLauncher = {
    async launch(request) {
      const process = await nodeLauncher.launch(request);
      const stdin = new PassThrough();
      stdin.on("data", (chunk: Buffer) => {
        written += chunk.toString("utf8");
      });
      stdin.pipe(process.stdin);
      return { ...process, stdin };
    },
  };
  const connection = await new CommandTransport({
    command: process.execPath,
    args: [server],
    stderr: "ignore",
    launcher,
  }).connect();
  const sent: Message[] = [
    { jsonrpc: "2.0", id: 1, method: "echo", params: { text: "a\nb" } },
    { jsonrpc: "2.0", method: "unknown" },
    { jsonrpc: "2.0", id: 2, method: "echo" },
  ];
  for (const message of sent) {
    await connection.write(message);
  }
  await connection.read();
  await connection.read();
  await connection.close();
  expect(written).toBe(sent.map((message) => `${JSON.stringify(message)}\n`).join(""));
});

test("the last words of a process are in the error, although they are read after its end", async () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const launcher: ProcessLauncher = {
    launch: () =>
      Promise.resolve({
        pid: 1,
        stdin,
        stdout,
        stderr,
        exited: Promise.resolve({ code: 3, signal: null }),
        kill() {},
        alive: () => false,
      }),
  };
  const connection = await new CommandTransport({ command: "late", stderr: () => {}, launcher }).connect();
  const read = connection.read();
  stdout.end();
  // A busy machine reads the pipe of the output, and the exit, some turns before this pipe.
  setImmediate(() => stderr.end("no such table: notes\n"));
  await expect(read).rejects.toThrow("no such table: notes");
  await connection.close();
});

test("what a server writes to standard error is text in UTF-8 for whoever wants it, and no sign of an error (R-255)", async () => {
  const lines: string[] = [];
  const connection = await new CommandTransport({
    ...script(`
      console.error("Fehler: Größe 漢字 👍");
      console.error("Error: FATAL panic exception");
      lines(({ id }) => say({ id, result: "fine" }));`),
    stderr: (line) => lines.push(line),
  }).connect();
  await connection.write({ jsonrpc: "2.0", id: 1, method: "m" });
  expect(await connection.read()).toEqual({ jsonrpc: "2.0", id: 1, result: "fine" });
  expect(connection.alive).toBe(true);
  await connection.close();
  expect(await connection.exited).toEqual({ code: 0, signal: null });
  expect(lines).toEqual(["Fehler: Größe 漢字 👍", "Error: FATAL panic exception"]);
});

test("a server that closes its output and exits ends the session in good order (R-262)", async () => {
  const connection = await new CommandTransport(
    script(
      `lines(({ id }) => { say({ id, result: "last" }); process.stdin.destroy(); process.stdout.end(); });`,
    ),
  ).connect();
  await connection.write({ jsonrpc: "2.0", id: 1, method: "m" });
  expect(await connection.read()).toEqual({ jsonrpc: "2.0", id: 1, result: "last" });
  expect(await connection.read()).toBeUndefined();
  expect(await connection.exited).toEqual({ code: 0, signal: null });
  await connection.close();
});
