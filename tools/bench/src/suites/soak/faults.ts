import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

import { LoadConnection, openSocket } from "../http/load/connection.ts";
import { initializeParams, modernRequest, openSession, post } from "../http/load/requests.ts";
import { connectStdio, neverMs, type Version, type World } from "./good.ts";
import { expectText, within } from "./journal.ts";

const user = "x-user: fault\r\n";

const modernCall = (name: string, args: object): string =>
  modernRequest(user, "tools/call", { name, arguments: args });

const legacyCall = (fields: string, name: string, args: object, id = 1): string =>
  post(`mcp-protocol-version: 2025-11-25\r\n${fields}`, {
    id,
    method: "tools/call",
    params: { name, arguments: args, _meta: { progressToken: id } },
  });

const stream = (fields: string): string =>
  `GET /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\n${fields}\r\n`;

const remove = (fields: string): string =>
  `DELETE /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\n${fields}content-length: 0\r\n\r\n`;

/** A socket on which everything may happen. */
async function open(port: number): Promise<Socket> {
  const socket = await openSocket(port);
  return socket.on("error", () => {});
}

/** Sends one request on a connection of its own. */
async function send(port: number, what: string, text: string): Promise<number> {
  const connection = await LoadConnection.open(port);
  try {
    return (await within(neverMs, what, connection.send(text))).status;
  } finally {
    connection.close();
  }
}

function end(socket: Socket, { random }: World): void {
  if (random.chance(0.5)) {
    socket.resetAndDestroy();
  } else {
    socket.destroy();
  }
}

/** Opens a session and forgets the connection. */
async function session(port: number, capabilities: object = {}): Promise<string> {
  const connection = await LoadConnection.open(port);
  try {
    return await openSession(connection, user, { ...initializeParams, capabilities });
  } finally {
    connection.close();
  }
}

/** The connection breaks while a call runs, sometimes before the request is complete. */
async function reset(port: number, world: World): Promise<void> {
  const { random } = world;
  const name = random.pick(["slow", "report", "large", "add"]);
  const args = { ms: 5000, count: 1000, length: 2_000_000, a: 1, b: 2 };
  const text = random.chance(0.5)
    ? modernCall(name, args)
    : legacyCall(random.chance(0.7) ? await session(port) : user, name, args);
  const socket = await open(port);
  socket.resume().write(random.chance(0.3) ? text.slice(0, random.between(1, text.length)) : text);
  await delay(random.between(0, 300));
  end(socket, world);
}

/**
 * A body that is announced and does not come; the server ends it after its limit, or the client
 * before.
 */
async function abandoned(port: number, world: World): Promise<void> {
  const socket = await open(port);
  const text = modernCall("large", { length: 1, more: "z".repeat(50_000) });
  socket.resume().write(text.slice(0, world.random.between(200, 30_000)));
  await (world.random.chance(0.3)
    ? within(neverMs, "abandoned body", once(socket, "close"))
    : delay(world.random.between(0, 500)));
  end(socket, world);
}

/** A stream for notifications that breaks, in either era. */
async function droppedStream(port: number, world: World): Promise<void> {
  const { random } = world;
  const notifications = { toolsListChanged: true, resourceSubscriptions: ["note://changing"] };
  const text = random.chance(0.5)
    ? modernRequest(user, "subscriptions/listen", { notifications })
    : stream(await session(port));
  const socket = await open(port);
  socket.resume().write(text);
  await delay(random.between(0, 1000));
  end(socket, world);
}

/** Bytes that are no request of the protocol. The server answers with a client error, or closes. */
async function garbage(port: number, world: World): Promise<void> {
  const { random, journal } = world;
  const noise = Array.from({ length: random.between(1, 400) }, () =>
    String.fromCharCode(random.between(1, 255)),
  ).join("");
  const body = random.pick([
    noise,
    "{",
    "[]",
    "null",
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","id":{},"method":7}',
    `${"[".repeat(3000)}${"]".repeat(3000)}`,
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":1e999}}}',
  ]);
  const length = Buffer.byteLength(body, "latin1");
  const text = random.chance(0.1)
    ? noise
    : `POST /mcp HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json, text/event-stream\r\ncontent-type: application/json\r\nmcp-protocol-version: ${random.pick(["2025-11-25", "2026-07-28", "1999-01-01"])}\r\n${user}connection: close\r\ncontent-length: ${length}\r\n\r\n${body}`;
  const socket = await open(port);
  socket.end(text, "latin1");
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  await within(neverMs, "garbage", once(socket, "close"));
  const answer = Buffer.concat(chunks).toString("latin1");
  const isRefused =
    answer === "" ||
    answer.startsWith("HTTP/1.1 4") ||
    answer.includes('"error"') ||
    answer.includes('"isError":true');
  expectText(journal, isRefused ? "refused" : answer, "refused");
}

/**
 * Sessions that are never used again, and sessions that are deleted, some of them while they work.
 */
async function leftSession(port: number, world: World): Promise<void> {
  const { random } = world;
  const fields = await session(port);
  if (random.chance(0.3)) {
    return;
  }
  const working = await open(port);
  if (random.chance(0.7)) {
    working.resume().write(random.chance(0.5) ? legacyCall(fields, "slow", { ms: 10_000 }) : stream(fields));
    await delay(random.between(0, 100));
  }
  try {
    expectText(world.journal, String(await send(port, "DELETE", remove(fields))), "204");
  } finally {
    working.destroy();
  }
}

/** A client that asks for much and reads nothing. */
async function slowReader(port: number, world: World): Promise<void> {
  const { random } = world;
  const [name, args] = random.pick<readonly [string, object]>([
    ["large", { length: 3_000_000 }],
    ["report", { count: 20_000 }],
  ]);
  const text = random.chance(0.5) ? modernCall(name, args) : legacyCall(await session(port), name, args);
  const socket = await open(port);
  socket.pause().write(text);
  await delay(random.between(100, 5000));
  end(socket, world);
}

/** A call that its session cancels by a notification. */
async function cancelled(port: number, world: World): Promise<void> {
  const fields = await session(port);
  const socket = await open(port);
  socket.resume().write(legacyCall(fields, "slow", { ms: 10_000 }, 77));
  await delay(world.random.between(0, 100));
  const notification = post(`mcp-protocol-version: 2025-11-25\r\n${fields}`, {
    method: "notifications/cancelled",
    params: { requestId: 77 },
  });
  try {
    expectText(world.journal, String(await send(port, "cancellation", notification)), "202");
    await delay(world.random.between(0, 100));
  } finally {
    end(socket, world);
  }
}

/** Questions to the user that get no answer: the client goes away, or ends the session. */
async function unanswered(port: number, world: World): Promise<void> {
  const { random } = world;
  const isModern = random.chance(0.3);
  const fields = isModern ? "" : await session(port, { elicitation: {} });
  const socket = await open(port);
  const capabilities = { "io.modelcontextprotocol/clientCapabilities": { elicitation: { form: {} } } };
  socket.resume().write(
    isModern
      ? modernRequest(user, "tools/call", {
          name: "ask",
          arguments: { whom: "nobody" },
          _meta: capabilities,
        })
      : legacyCall(fields, "ask", { whom: "nobody" }),
  );
  await delay(random.between(0, 2000));
  if (!isModern && random.chance(0.5)) {
    await send(port, "DELETE", remove(fields)).catch(() => {});
  }
  end(socket, world);
}

/** Lists that change. */
async function toggled(port: number, { journal }: World): Promise<void> {
  expectText(journal, String(await send(port, "toggle", modernCall("toggle", {}))), "200");
}

/** What clients of HTTP do wrong, by name. */
export const httpFaults: readonly [
  readonly [string, (port: number, world: World) => Promise<void>],
  ...(readonly [string, (port: number, world: World) => Promise<void>])[],
] = [
  ["reset mid-call", reset],
  ["abandoned body", abandoned],
  ["dropped stream", droppedStream],
  ["garbage body", garbage],
  ["session left or deleted", leftSession],
  ["slow reader", slowReader],
  ["cancelled call", cancelled],
  ["question never answered", unanswered],
  ["list change", toggled],
];

/** A server on stdio that is killed while a call runs: the call fails, and a new server serves. */
export async function killedServer(program: string, { random, journal }: World): Promise<void> {
  const { session, pid } = await within(
    neverMs,
    "start",
    connectStdio(program, random.pick<Version>(["2025-11-25", "2026-07-28"])),
  );
  const call = session.callTool({ name: "slow", arguments: { ms: 20_000 } }).then(
    () => "a result",
    (error: unknown) => (error as { readonly code?: unknown }).code,
  );
  await delay(random.between(0, 100));
  if (pid !== undefined) {
    process.kill(pid, "SIGKILL");
  }
  try {
    expectText(journal, await within(neverMs, "call of a killed server", call), "CONNECTION_CLOSED");
  } finally {
    await within(neverMs, "close of a killed server", session.close());
  }
}
