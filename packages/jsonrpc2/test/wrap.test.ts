import { expect, test } from "vitest";

import {
  isMany,
  LoggingTransport,
  Peer,
  wrapTransport,
  type Connection,
  type LogEntry,
  type Outgoing,
  type Transport,
} from "../src/index.ts";
import { createScriptedPeer, createVirtualClock, parseTranscript, replayTranscript } from "../src/testing.ts";
import { deferred, note, rejectionOf, request, settled } from "./helpers.ts";

function over(connection: Awaited<ReturnType<Transport["connect"]>>): Transport {
  return { connect: () => Promise.resolve(connection) };
}

test("every read and write is logged, failures and the end too, and the conversation is unchanged (S-041)", async () => {
  const other = createScriptedPeer();
  const clock = createVirtualClock();
  const lines: string[] = [];
  const transport = new LoggingTransport(
    over(other.connection),
    { write: (line) => lines.push(line) },
    { clock },
  );
  const connection = await transport.connect();
  await connection.write(request(1, "m", { a: "b\nc" }));
  clock.advance(1.5);
  other.send(
    { jsonrpc: "2.0", id: 1, result: "r" },
    { malformed: { code: -32_700, message: "no" } },
    { batch: [note("n")] },
  );
  expect(await connection.read()).toEqual({ jsonrpc: "2.0", id: 1, result: "r" });
  expect(await connection.read()).toHaveProperty("malformed");
  expect(await connection.read()).toEqual({ batch: [note("n")] });
  const full = new Error("full");
  other.failWrites(full);
  expect(await rejectionOf(connection.write(note("x")))).toBe(full);
  other.end();
  expect(await connection.read()).toBeUndefined();
  expect(await connection.read()).toBeUndefined();
  expect(lines.every((line) => line.endsWith("\n") && line.indexOf("\n") === line.length - 1)).toBe(true);
  expect(parseTranscript(lines.join(""))).toEqual([
    { at: 0, dir: "write", message: request(1, "m", { a: "b\nc" }) },
    { at: 1.5, dir: "read", message: { jsonrpc: "2.0", id: 1, result: "r" } },
    { at: 1.5, dir: "read", error: "no" },
    { at: 1.5, dir: "read", message: [note("n")] },
    { at: 1.5, dir: "write", message: note("x") },
    { at: 1.5, dir: "write", error: "Error: full" },
    { at: 1.5, dir: "end" },
  ] satisfies LogEntry[]);
});

test("a WritableStream is a sink too; one that fails is ignored", async () => {
  const lines: string[] = [];
  const streams = [
    new WritableStream<string>({ write: (line) => void lines.push(line) }),
    new WritableStream<string>({
      write() {
        throw new Error("disk full");
      },
    }),
  ];
  for (const stream of streams) {
    const other = createScriptedPeer();
    const connection = await new LoggingTransport(over(other.connection), stream).connect();
    await connection.write(note("a"));
    await connection.write(note("b"));
    await settled();
    expect(other.received).toHaveLength(2);
  }
  expect(parseTranscript(lines.join(""))).toMatchObject([{ message: note("a") }, { message: note("b") }]);
});

test("a stream that breaks is logged with its error", async () => {
  const other = createScriptedPeer();
  const lines: string[] = [];
  const connection = await new LoggingTransport(over(other.connection), {
    write: (line) => lines.push(line),
  }).connect();
  other.fail(new Error("cut"));
  await rejectionOf(connection.read());
  expect(parseTranscript(lines.join(""))).toMatchObject([{ dir: "read", error: "Error: cut" }]);
});

test("redaction changes the log and not the message; a sink or redact that throws is ignored", async () => {
  const other = createScriptedPeer();
  const lines: string[] = [];
  const redact = (message: unknown): unknown =>
    JSON.parse(JSON.stringify(message).replaceAll("secret", "***"));
  const inner = over(other.connection);
  const connection = await new LoggingTransport(
    inner,
    { write: (line) => lines.push(line) },
    { redact },
  ).connect();
  await connection.write(request(1, "m", { password: "secret" }));
  expect(lines.join("")).not.toContain("secret");
  expect(await other.next()).toEqual(request(1, "m", { password: "secret" }));
  const oops = (): never => {
    throw new Error("oops");
  };
  for (const options of [{ redact: oops }, {}]) {
    const broken = createScriptedPeer();
    const logged = await new LoggingTransport(over(broken.connection), { write: oops }, options).connect();
    await logged.write(note("n"));
    broken.send(note("m"));
    expect(await logged.read()).toEqual(note("m"));
  }
});

test("wrapTransport sees and rewrites messages both ways (S-044)", async () => {
  const other = createScriptedPeer();
  const seen: unknown[] = [];
  const transport = wrapTransport(over(other.connection), {
    onWrite(message, options) {
      seen.push(options?.relatedTo);
      return isMany(message) || !("method" in message)
        ? message
        : { ...message, params: { ...message.params, traceparent: "00-1" } };
    },
    onRead: (message) =>
      "method" in message ? { ...message, method: message.method.toUpperCase() } : message,
    onEnd: (error) => seen.push(["end", error]),
  });
  const connection = await transport.connect();
  await connection.write(request(1, "m", { a: 1 }), { relatedTo: 7 });
  expect(await other.next()).toEqual(request(1, "m", { a: 1, traceparent: "00-1" }));
  other.send(note("loud"));
  expect(await connection.read()).toEqual(note("LOUD"));
  await connection.close();
  expect(await connection.read()).toBeUndefined();
  expect(seen).toEqual([7, ["end", undefined]]);
});

test("what a connection has besides the contract is still there when it is wrapped", async () => {
  class Special {
    readonly #inner = createScriptedPeer().connection;
    #alive = true;
    get alive(): boolean {
      return this.#alive;
    }
    kill(): void {
      this.#alive = false;
    }
    read(): ReturnType<Connection["read"]> {
      return this.#inner.read();
    }
    write(message: Outgoing): Promise<void> {
      return this.#inner.write(message);
    }
    close(): Promise<void> {
      return this.#inner.close();
    }
    [Symbol.asyncDispose](): Promise<void> {
      return this.close();
    }
  }
  const transport = { connect: () => Promise.resolve(new Special()) };
  const connection = await new LoggingTransport(wrapTransport(transport, {}), {
    write: () => true,
  }).connect();
  expect(connection.alive).toBe(true);
  connection.kill();
  expect(connection.alive).toBe(false);
  await connection.write(note("n"));
  await connection[Symbol.asyncDispose]();
  expect(await connection.read()).toBeUndefined();
});

test("each connection may have hooks of its own", async () => {
  let made = 0;
  const transport = wrapTransport({ connect: () => Promise.resolve(createScriptedPeer().connection) }, () => {
    const name = `hooks ${++made}`;
    return { onWrite: (message) => (expect(name).toBe(`hooks ${made}`), message) };
  });
  for (const _ of [1, 2]) {
    await (await transport.connect()).write(note("n"));
  }
  expect(made).toBe(2);
});

test("a transcript recorded once can be replayed against the same client", async () => {
  const converse = async (transport: Transport): Promise<unknown> => {
    const seen: unknown[] = [];
    await using peer = new Peer(await transport.connect(), {
      handler: ({ method, params }) => (seen.push(params), method),
    });
    const answers = await Promise.all([peer.call("a", { n: 1 }), peer.call("b", { n: 2 })]);
    await peer.notify("thanks");
    await settled();
    return [answers, seen];
  };

  const other = createScriptedPeer();
  const lines: string[] = [];
  const recorded = converse(
    new LoggingTransport(over(other.connection), { write: (line) => lines.push(line) }),
  );
  const [a, b] = [await other.nextRequest(), await other.nextRequest()];
  other.send(note("progress", { half: true }), request("s1", "who", { are: "you" }));
  other.answer(b, "second");
  other.answer(a, "first");
  const first = await recorded;
  expect(first).toEqual([
    ["first", "second"],
    [{ half: true }, { are: "you" }],
  ]);

  const replay = replayTranscript(lines.join(""));
  expect(await converse(replay)).toEqual(first);
  await replay.done;
});

test("a client that says something else than in the transcript is told what", async () => {
  const transcript: LogEntry[] = [
    { at: 0, dir: "write", message: request(1, "a") },
    { at: 1, dir: "read", message: { jsonrpc: "2.0", id: 1, result: 1 } },
  ];
  const replay = replayTranscript(transcript);
  const peer = new Peer(await replay.connect());
  expect(await rejectionOf(peer.call("other"))).toMatchObject({ code: "CONNECTION_CLOSED" });
  expect(await rejectionOf(replay.done)).toMatchObject({
    code: "INVALID_STATE",
    message: expect.stringContaining("line 1") as string,
  });
  await peer.closed;
});

test("a lenient replay compares as it is told", async () => {
  const replay = replayTranscript(
    '{"at":0,"dir":"write","message":{"method":"a","id":9}}\n{"at":0,"dir":"end"}\n',
    {
      matches: (recorded, written) =>
        (recorded as { method: string }).method === (written as { method: string }).method,
    },
  );
  const connection = await replay.connect();
  await connection.write(request(1, "a", { anything: true }));
  expect(await connection.read()).toBeUndefined();
  await replay.done;
});

test("a slow WritableStream is given no more lines than it may have waiting", async () => {
  const release = deferred();
  const lines: string[] = [];
  const sink = new WritableStream<string>({
    write: (line) => {
      lines.push(line);
      return release.promise;
    },
  });
  const other = createScriptedPeer();
  const logged = new LoggingTransport({ connect: async () => other.connection }, sink, {
    limits: { maxQueued: 3 },
  });
  const connection = await logged.connect();
  for (let count = 0; count < 10; count++) {
    await connection.write({ jsonrpc: "2.0", method: `m${count}` });
  }
  release.resolve();
  await settled();
  await connection.write({ jsonrpc: "2.0", method: "later" });
  await settled();
  const methods = lines.map((line) => (JSON.parse(line) as { message: { method: string } }).message.method);
  expect(methods).toEqual(["m0", "m1", "m2", "later"]);
});

test("a sink whose promise rejects is ignored, and nothing is left unhandled", async () => {
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", onUnhandled);
  const other = createScriptedPeer();
  const sink = { write: () => Promise.reject(new Error("disk full")) };
  const connection = await new LoggingTransport({ connect: async () => other.connection }, sink).connect();
  await connection.write({ jsonrpc: "2.0", method: "m" });
  await settled();
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", onUnhandled);
  expect([other.received.length, unhandled]).toEqual([1, []]);
});
