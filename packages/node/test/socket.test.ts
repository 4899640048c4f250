import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { request as sendRequest, type IncomingMessage } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";

import { Client, type ClientSession } from "@tenon/mcp";
import type { Listening } from "@tenon/node";
import { listenOnSocket, type SocketListenOptions } from "@tenon/node/socket";
import { deferred, legacyRevision, modernRevision } from "@tenon/test-support";
import { createStreamableHandler, type StreamableHandlerOptions } from "@tenon/transports-streamable-http";
import {
  readSocketUrl,
  socketTransport,
  socketUrl,
  type SocketTransportOptions,
} from "@tenon/transports-streamable-http/socket";
import { afterAll, describe, expect, test, vi } from "vitest";

import { createTestServer } from "./setup.ts";

const folder = mkdtempSync(join(tmpdir(), "tenon-"));
afterAll(() => rmSync(folder, { recursive: true }));
let sockets = 0;
const freePath = (): string => join(folder, `${++sockets}.sock`);

async function serve(
  options: Partial<StreamableHandlerOptions> = {},
  socket = freePath(),
  listening?: SocketListenOptions,
): Promise<Listening> {
  const server = createTestServer();
  server.addTool({ name: "rename" }, () => {
    server.addTool({ name: "renamed" }, () => "");
    return "";
  });
  const handler = createStreamableHandler({ getServer: () => server, ...options });
  return listenOnSocket(handler, socket, listening);
}

function connect(
  url: string | URL,
  revision: string,
  options: SocketTransportOptions = {},
  onToolsChanged: () => void = () => {},
): Promise<ClientSession> {
  const client = new Client(
    { name: "test-client", version: "1.0.0" },
    { revisions: [revision as never], onToolsChanged },
  );
  return client.connect(socketTransport(url, { eras: false, ...options }));
}

/** Leaves a socket behind on which nobody listens, as a killed process does. */
async function leaveSocket(): Promise<string> {
  const path = freePath();
  const other = createServer().listen(`${path}.other`);
  await once(other, "listening");
  renameSync(`${path}.other`, path);
  other.close();
  return path;
}

/** Makes a file another user's: for real if this user may. */
function giveAway(path: string): Disposable {
  if (process.getuid?.() === 0) {
    chownSync(path, 12_345, 12_345);
    return { [Symbol.dispose]: () => undefined };
  }
  const spy = vi.spyOn(process, "getuid").mockReturnValue(12_345);
  return { [Symbol.dispose]: () => spy.mockRestore() };
}

describe.each([
  { shape: "a session", revision: legacyRevision, sessions: {} },
  { shape: "legacy requests without a session", revision: legacyRevision, sessions: false },
  { shape: "modern requests", revision: modernRevision, sessions: {} },
] as const)("over a socket, with $shape,", ({ revision, sessions }) => {
  test("a client calls tools, sees progress, and sends its headers", async () => {
    await using listening = await serve({ sessions });
    await using session = await connect(listening.url, revision, { headers: { "x-tenant": "blue" } });
    expect(session.revision).toBe(revision);
    expect(session.network).toEqual({
      transport: "unix",
      protocol: "http",
      address: readSocketUrl(listening.url).socket,
    });
    const seen: number[] = [];
    const counted = await session.callTool(
      { name: "count" },
      { onProgress: ({ progress }) => seen.push(progress) },
    );
    expect([counted.content, seen]).toEqual([[{ type: "text", text: "counted" }], [1, 2, 3]]);
    const { content } = await session.callTool({ name: "who" });
    expect(content).toEqual([{ type: "text", text: "nobody blue" }]);
  });
});

test("the example of the README works", async () => {
  const path = freePath();
  const server = createTestServer();
  const client = new Client({ name: "desk", version: "1.0.0" });
  // #region socket
  const handler = createStreamableHandler({ getServer: () => server });
  const listening = await listenOnSocket(handler, path); // such as /run/user/1000/notes.sock
  const session = await client.connect(socketTransport(socketUrl(path)));
  // #endregion socket
  expect(listening.url.href).toBe(socketUrl(path).href);
  await session.close();
  await listening.close();
});

test.each([legacyRevision, modernRevision])(
  "a %s client gets notifications on its stream",
  async (revision) => {
    await using listening = await serve();
    const changed = deferred();
    await using session = await connect(listening.url, revision, {}, changed.resolve);
    await session.callTool({ name: "rename" });
    await changed.promise;
  },
);

test("two servers of different eras at different sockets are not confused", async () => {
  await using legacy = await serve({}, freePath());
  await using modern = await serve({}, freePath());
  const eras = new Map<string, "legacy">();
  eras.set(legacy.url.href, "legacy");
  const client = new Client({ name: "test-client", version: "1.0.0" });
  await using first = await client.connect(socketTransport(legacy.url, { eras }));
  await using second = await client.connect(socketTransport(modern.url, { eras }));
  expect([first.era, second.era]).toEqual(["legacy", "modern"]);
});

test("the URL of VS Code leads to the same server", async () => {
  const socket = freePath();
  await using _ = await serve({}, socket);
  await using session = await connect(`unix://${socket}#/mcp`, modernRevision);
  expect((await session.callTool({ name: "add", arguments: { a: 1, b: 2 } })).content).toEqual([
    { type: "text", text: "3" },
  ]);
});

test.each([
  [{ host: "evil.example.com" }, "Host"],
  [{ host: "localhost", origin: "https://evil.example.com" }, "Origin"],
])("a request with the headers %j is refused because of its %s", async (headers, name) => {
  await using listening = await serve();
  const { socket: socketPath } = readSocketUrl(listening.url);
  const sent = sendRequest({ socketPath, path: "/mcp", method: "POST", headers, agent: false }).end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response) {
    text += String(chunk);
  }
  expect([response.statusCode, text]).toEqual([403, expect.stringContaining(name)]);
});

test.each([
  ["its URL", (other: URL) => other.href],
  ["two slashes", (other: URL) => other.href.replace("http+unix:", "")],
  ["a tab that parsers of URLs remove", (other: URL) => other.href.replace("http+unix://", "/\t/")],
])("a redirect to another socket by %s is not followed", async (_, location) => {
  const other = socketUrl(freePath());
  await using listening = await serve({}, freePath(), {
    path: "/elsewhere",
    routes: [
      {
        paths: ["/mcp"],
        node: async (_, response) => {
          response.writeHead(307, { location: location(other) });
          response.end();
        },
      },
    ],
  });
  const url = socketUrl(readSocketUrl(listening.url).socket);
  await expect(connect(url, modernRevision)).rejects.toMatchObject({
    message: expect.stringContaining("redirects to another origin"),
  });
});

test.each([
  [undefined, 0o600],
  [0o660, 0o660],
])(
  "with the mode %o a socket has the permissions %o, whatever the mask of the process",
  async (mode, expected) => {
    const socket = freePath();
    const before = process.umask(0);
    try {
      await using _ = await serve({}, socket, { mode });
      expect(statSync(socket).mode & 0o777).toBe(expected);
      expect(process.umask()).toBe(0);
    } finally {
      process.umask(before);
    }
    expect(existsSync(socket)).toBe(false);
  },
);

test("a socket that a process left behind is replaced", async () => {
  const socket = await leaveSocket();
  await using listening = await serve({}, socket);
  await using session = await connect(listening.url, modernRevision);
  expect(session.era).toBe("modern");
});

test("a socket on which a process listens is not replaced", async () => {
  await using listening = await serve();
  const { socket } = readSocketUrl(listening.url);
  await expect(serve({}, socket)).rejects.toMatchObject({
    code: "EADDRINUSE",
    message: expect.stringContaining(socket),
  });
  await using session = await connect(listening.url, modernRevision);
  expect(session.era).toBe("modern");
});

test("a file that is not a socket is not replaced", async () => {
  const path = freePath();
  writeFileSync(path, "precious");
  await expect(serve({}, path)).rejects.toThrow("is not a socket");
  expect(existsSync(path)).toBe(true);
});

test("a socket of another user is not replaced", async () => {
  const socket = await leaveSocket();
  using _ = giveAway(socket);
  await expect(serve({}, socket)).rejects.toThrow("belongs to another user");
  expect(existsSync(socket)).toBe(true);
});

test("a socket is not created where everybody may replace it", async () => {
  const open = mkdtempSync(join(folder, "open-"));
  chmodSync(open, 0o777);
  await expect(serve({}, join(open, "a.sock"))).rejects.toThrow(`All users may replace files in ${open}`);
});

test("a client refuses the socket of another user in a directory of everybody", async () => {
  const shared = mkdtempSync(join(folder, "shared-"));
  chmodSync(shared, 0o1777);
  await using listening = await serve({}, join(shared, "a.sock"));
  await using own = await connect(listening.url, modernRevision);
  expect(own.era).toBe("modern");
  await own.close();
  // The connection of the pool would be used again.
  listening.http.closeAllConnections();
  using _ = giveAway(join(shared, "a.sock"));
  await expect(connect(listening.url, modernRevision)).rejects.toThrow("belongs to another user");
});

test("a worker thread refuses to create a socket that others could connect to", async () => {
  const code = `
    const { parentPort } = require("node:worker_threads");
    import(${JSON.stringify(new URL("../dist/socket.js", import.meta.url).href)}).then(({ listenOnSocket }) =>
      listenOnSocket({ node() {}, async close() {} }, ${JSON.stringify(freePath())})
    ).then(() => parentPort.postMessage("listens"), (error) => parentPort.postMessage(error.message));`;
  const before = process.umask(0);
  try {
    const worker = new Worker(code, { eval: true, execArgv: [] });
    const [message] = (await once(worker, "message")) as [string];
    expect(message).toContain("call process.umask(0o077) in the main thread first");
    await worker.terminate();
  } finally {
    process.umask(before);
  }
});

test("a path that is too long is refused with its limit", async () => {
  const path = join(folder, "a".repeat(120));
  const limit = process.platform === "linux" ? 107 : 103;
  await expect(serve({}, path)).rejects.toThrow(`can have at most ${limit} bytes`);
  expect(() => socketTransport(`unix://${path}`)).toThrow(`can have at most ${limit} bytes`);
});

test("an error names the socket on which nobody listens", async () => {
  const socket = freePath();
  const connecting = connect(socketUrl(socket), modernRevision);
  await expect(connecting).rejects.toMatchObject({ message: expect.stringContaining(socket) });
});

test.each([
  "http+unix:///run/notes.sock/mcp",
  "http+unix://run%2Fnotes.sock/mcp",
  "http+unix://%2Fa%00b/mcp",
  "https://example.com/mcp",
  "/run/notes.sock",
])("the URL %s is refused, with the expected form", (url) => {
  expect(() => socketTransport(url)).toThrow(/http\+unix:\/\/%2F|an absolute path/);
});

test("a URL of a socket keeps the query of the endpoint and every character of the path", () => {
  const url = socketUrl("/tmp/ä b#?%.sock", "/mcp?a=1");
  expect(readSocketUrl(url)).toEqual({ socket: "/tmp/ä b#?%.sock", url, transport: "unix" });
  expect(readSocketUrl(url.href).url.href).toBe(url.href);
});
