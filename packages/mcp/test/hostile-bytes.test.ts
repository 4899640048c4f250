import { type Connection } from "@tenon/jsonrpc2";
import { ndjsonConnection } from "@tenon/jsonrpc2/stream";
import { Client, Server, type ClientSession } from "@tenon/mcp";
import { eraOf, methodTables, type Revision } from "@tenon/protocol";
import { samples } from "@tenon/samples";
import { expect, test } from "vitest";

import { forbidUnhandledRejections, macrotask } from "./asking.ts";
import { everyRevision } from "./conversation.ts";
import { initialize, modern, request } from "./wire.ts";

// Bytes, not messages: what a peer writes goes through the decoder of a real transport, so that the
// two are hostile together (T-001). Random messages are in hostile-peer.test.ts, ordered ones in
// hostile-sequences.test.ts.
forbidUnhandledRejections();

const utf8 = new TextEncoder();

/** A side under test, and the other end of its pipe. */
interface Pipe {
  readonly connection: Connection;
  write(line: string | Uint8Array): void;
  /** The next line that the side under test wrote; `undefined` after its end. */
  next(): Promise<Record<string, unknown> | undefined>;
  end(): void;
}

function openPipe(): Pipe {
  const inbound: (Uint8Array | undefined)[] = [];
  const outbound: (string | undefined)[] = [];
  let wakeInbound: () => void = () => {};
  let wakeOutbound: () => void = () => {};
  async function take<T>(queue: T[], wait: (wake: () => void) => void): Promise<T> {
    while (queue.length === 0) {
      await new Promise<void>((resolve) => wait(resolve));
    }
    return queue.shift() as T;
  }
  const put = (bytes: Uint8Array | undefined): void => {
    inbound.push(bytes);
    wakeInbound();
  };
  const connection = ndjsonConnection({
    read: () => take(inbound, (wake) => (wakeInbound = wake)),
    write(text) {
      outbound.push(text);
      wakeOutbound();
      return Promise.resolve();
    },
    close() {
      outbound.push(undefined);
      wakeOutbound();
      put(undefined);
      return Promise.resolve();
    },
  });
  return {
    connection,
    write: (line) => {
      put(typeof line === "string" ? utf8.encode(`${line}\n`) : line);
    },
    async next() {
      const text = await take(outbound, (wake) => (wakeOutbound = wake));
      return text === undefined ? undefined : (JSON.parse(text) as Record<string, unknown>);
    },
    end: () => put(undefined),
  };
}

const methods = [...new Set(Object.values(methodTables).flatMap((table) => Object.keys(table)))];
const nested = (depth: number, open: string, close: string): string =>
  open.repeat(depth) + close.repeat(depth);

/** JSON, or nearly, for any place of a message. */
const small: readonly string[] = [
  "null",
  "true",
  "0",
  "-0",
  "1.0",
  "1e3",
  "1e400",
  "-1e400",
  "NaN",
  "9007199254740993",
  "18446744073709551616",
  "0.1",
  "01",
  '""',
  '"\\ud800"',
  '"\\ud83d\\ude00"',
  '"\u{1f600}"',
  '"\\u0000"',
  '"\u0001"',
  '"__proto__"',
  `"${"x".repeat(300)}"`,
  "[]",
  "{}",
  "[[]]",
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"toString":1,"valueOf":1,"toJSON":1,"then":1,"length":-1}',
  '{"a":1,"a":2}',
  '"unfinished',
  "{",
  "",
];
const large: readonly string[] = [
  `"${"x".repeat(70_000)}"`,
  nested(600, "[", "]"),
  nested(3000, "[", "]"),
  `${'{"a":'.repeat(400)}1${"}".repeat(400)}`,
];

/** One message with something odd in one of its places. */
function* oddMessages(method: string, values: readonly string[]): Generator<string> {
  const meta = JSON.stringify(modern);
  for (const value of values) {
    yield `{"jsonrpc":"2.0","id":${value},"method":"${method}","params":{"_meta":${meta}}}`;
    yield `{"jsonrpc":"2.0","id":"odd","method":"${method}","params":${value}}`;
    yield `{"jsonrpc":"2.0","method":"${method}","params":${value}}`;
    yield `{"jsonrpc":"2.0","id":"odd","method":"${method}","params":{"_meta":${value}}}`;
    for (const member of [
      "name",
      "uri",
      "cursor",
      "arguments",
      "ref",
      "level",
      "notifications",
      "requestId",
    ]) {
      yield `{"jsonrpc":"2.0","id":"odd","method":"${method}","params":{"name":"add","uri":"memo://1","${member}":${value},"_meta":${meta}}}`;
    }
  }
}

/** What is odd whatever the method. */
function* oddLines(): Generator<string | Uint8Array> {
  for (const value of [...small, ...large]) {
    yield value;
    yield `[${value}]`;
    yield `{"jsonrpc":${value},"id":"odd","method":"ping"}`;
    yield `{"jsonrpc":"2.0","id":"odd","method":${value}}`;
    yield `{"jsonrpc":"2.0","id":${value},"result":{}}`;
    yield `{"jsonrpc":"2.0","id":1,"result":${value}}`;
    yield `{"jsonrpc":"2.0","id":1,"error":${value}}`;
    yield `{"jsonrpc":"2.0","id":${value},"error":{"code":${value},"message":${value},"data":${value}}}`;
    yield `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${value},"reason":${value}}}`;
    yield `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":${value},"progress":${value}}}`;
    yield `\ufeff${value}\r`;
  }
  yield Uint8Array.from([0xff, 0xfe, 0x0a]);
  yield Uint8Array.from([0xc3, 0x28, 0x0a, 0xf0, 0x9f, 0x0a]);
  yield Uint8Array.from([0x00, 0x0a, 0x0d, 0x0a, 0x0a]);
  yield `{"jsonrpc":"2.0","id":"odd","id":"odd","method":"ping"}`;
  yield `{"jsonrpc":"2.0","id":"odd","method":"ping","\\u0069d":"other"}`;
  yield `{"jsonrpc":"2.0","id":"odd","method":"ping","result":{},"error":{"code":1,"message":""}}`;
  yield `[${Array.from({ length: 200 }, (_, id) => JSON.stringify(request(id, "ping"))).join()}]`;
  yield `[${JSON.stringify(request(1, "ping"))},1,null,{},${JSON.stringify(initialize("2025-03-26"))}]`;
}

const everything = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  completions: {},
  logging: {},
};

/**
 * Several hundred lines at a time, then something sincere. Large values cost most of the time, so
 * each method gets them in one revision, and in every revision in the run of each night.
 */
function* portions(revision: Revision): Generator<(string | Uint8Array)[]> {
  yield [...oddLines()];
  const turn = everyRevision.indexOf(revision);
  const turns = samples(everyRevision.length) < everyRevision.length ? everyRevision.length : 1;
  for (const [index, method] of methods.entries()) {
    // A second handshake may change what the session is: that is for hostile-sequences.test.ts.
    yield [...oddMessages(method, index % turns === turn % turns ? [...small, ...large] : small)];
  }
}

function target(): { readonly server: Server; readonly errors: unknown[] } {
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const server = new Server(
    { name: "server", version: "1" },
    { onError, logging: true, strictness: "strict" },
  );
  const input = { type: "object", properties: { a: { type: "number" } } } as const;
  server.addTool({ name: "add", input }, ({ a = 0 }) => String(a + 1));
  server.addPrompt({ name: "add", arguments: [{ name: "a" }], complete: { a: ["x"] } }, () => "");
  server.addResource({ uri: "memo://1", name: "one" }, () => "one");
  server.addResourceTemplate({ uriTemplate: "memo://{id}{?q*}", name: "any" }, ({ uri }) => uri);
  return { server, errors };
}

async function until(pipe: Pipe, id: string): Promise<Record<string, unknown> | undefined> {
  for (;;) {
    const read = await pipe.next();
    if (read === undefined || (read["id"] === id && !("method" in read))) {
      return read;
    }
  }
}

test.each(everyRevision)(
  "a server answers after every kind of odd line that a client of %s writes (S-090, R-136)",
  async (revision) => {
    const { server, errors } = target();
    const pipe = openPipe();
    await server.connect({ connect: async () => pipe.connection });
    const isModern = eraOf(revision) === "modern";
    if (!isModern) {
      pipe.write(JSON.stringify(initialize(revision)));
      await until(pipe, "init");
      pipe.write('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    }
    let lines = 0;
    for (const portion of portions(revision)) {
      for (const line of portion) {
        pipe.write(line);
        lines++;
      }
      const last = `last ${lines}`;
      pipe.write(JSON.stringify(request(last, "tools/list", isModern ? { _meta: modern } : {})));
      expect(await until(pipe, last)).toMatchObject({ result: { tools: [{ name: "add" }] } });
    }
    expect(lines).toBeGreaterThan(1000);
    expect(errors).toEqual([]);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
    pipe.end();
    await server.close({ drainMs: 0 });
    await macrotask();
  },
);

async function connectTarget(
  revision: Revision,
  pipe: Pipe,
): Promise<{ session: ClientSession; errors: unknown[] }> {
  const errors: unknown[] = [];
  const client = new Client(
    { name: "client", version: "1" },
    {
      revisions: [revision],
      roots: [{ uri: "file:///a" }],
      sampling: {
        createMessage: () => ({ role: "user", model: "m", content: { type: "text", text: "" } }),
      },
      elicitation: "cancel",
      onLog: () => {},
      onResourceUpdated: () => {},
      onError: (error) => void errors.push(error),
    },
  );
  const connecting = client.connect({ connect: async () => pipe.connection });
  const opening = await pipe.next();
  const result =
    eraOf(revision) === "modern"
      ? { resultType: "complete", supportedVersions: [revision], capabilities: everything }
      : { protocolVersion: revision, capabilities: everything, serverInfo: { name: "s", version: "1" } };
  pipe.write(JSON.stringify({ jsonrpc: "2.0", id: opening?.["id"], result }));
  return { session: await connecting, errors };
}

test.each(everyRevision)(
  "a client goes on after every kind of odd line that a server of %s writes (S-099)",
  async (revision) => {
    const pipe = openPipe();
    const { session, errors } = await connectTarget(revision, pipe);
    for (const portion of portions(revision)) {
      for (const line of portion) {
        pipe.write(line);
      }
      const listed = session.listTools();
      for (let asked = await pipe.next(); asked !== undefined; asked = await pipe.next()) {
        if (asked["method"] === "tools/list") {
          pipe.write(JSON.stringify({ jsonrpc: "2.0", id: asked["id"], result: { tools: [] } }));
          break;
        }
      }
      expect(await listed).toEqual({ tools: [] });
    }
    expect(session.isClosed).toBe(false);
    // One warning per kind: a response, a request, a request twice, and input that is not a
    // message.
    expect(errors.length).toBeLessThanOrEqual(4);
    expect(new Set(errors.map((error) => (error as { code?: unknown }).code))).toEqual(
      new Set(["UNEXPECTED_MESSAGE"]),
    );
    await session.close({ drainMs: 0 });
    await macrotask();
  },
);
