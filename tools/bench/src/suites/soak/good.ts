import { Client, type ClientSession } from "@tenon/mcp";
import { CommandTransport } from "@tenon/transports-stdio/client";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";

import { LoadConnection } from "../http/load/connection.ts";
import { callsOn, type CallText, type Mode } from "../http/load/requests.ts";
import { expectText, within, type Journal } from "./journal.ts";
import type { Random } from "./random.ts";

/** The protocol versions that sessions of the soak use. */
export type Version = "2025-11-25" | "2026-07-28";

/** What acts work with. */
export interface World {
  readonly random: Random;
  readonly journal: Journal;
}

const info = { name: "soak", version: "1.0.0" };
/** No call of the soak takes that long, unless it is never answered. */
export const neverMs = 30_000;

const createClient = (version: Version): Client =>
  new Client(info, {
    revisions: [version],
    cache: false,
    elicitation: { form: () => ({ action: "accept", content: { name: "Ada" } }) },
    // Faults of other clients never reach this one: whatever comes here is shown.
    onError: (error) => console.error("client:", error),
    limits: { timeoutMs: neverMs },
  });

/** Connects to a server over HTTP as its own user. */
export function connectHTTP(port: number, version: Version, user = "good"): Promise<ClientSession> {
  const url = new URL(`http://127.0.0.1:${port}/mcp`);
  return createClient(version).connect(
    new StreamableClientTransport(url, { headers: { "x-user": user }, eras: false }),
  );
}

/** A session with a server in a child process. */
export interface StdioSession {
  readonly session: ClientSession;
  readonly pid: number | undefined;
}

/** Starts the server on standard input and output. */
export async function connectStdio(program: string, version: Version): Promise<StdioSession> {
  const transport = new CommandTransport({
    command: process.execPath,
    args: ["--expose-gc", program],
    inheritEnv: "all",
  });
  let pid: number | undefined;
  const session = await createClient(version).connect({
    async connect(options) {
      const connection = await transport.connect(options);
      pid = connection.pid;
      return connection;
    },
  });
  return { session, pid };
}

const textOf = ({ content }: { readonly content: readonly unknown[] }): unknown =>
  (content[0] as { readonly text?: unknown } | undefined)?.text;

async function add(session: ClientSession, { random, journal }: World): Promise<void> {
  const [a, b] = [random.between(0, 1e6), random.between(0, 1e6)];
  const result = await within(neverMs, "add", session.callTool({ name: "add", arguments: { a, b } }));
  expectText(journal, textOf(result), String(a + b));
}

async function report(session: ClientSession, { random, journal }: World): Promise<void> {
  const count = random.between(1, 50);
  let seen = 0;
  const onProgress = (): void => {
    seen++;
  };
  const call = session.callTool({ name: "report", arguments: { count } }, { onProgress });
  expectText(journal, textOf(await within(neverMs, "report", call)), `reported ${count}`);
  expectText(journal, String(seen), String(count));
}

async function ask(session: ClientSession, { random, journal }: World): Promise<void> {
  const whom = `user-${random.between(1, 99)}`;
  const result = await within(neverMs, "ask", session.callTool({ name: "ask", arguments: { whom } }));
  expectText(journal, textOf(result), `${whom} is Ada`);
}

async function large(session: ClientSession, { random, journal }: World): Promise<void> {
  const length = random.between(1, 500_000);
  const result = await within(neverMs, "large", session.callTool({ name: "large", arguments: { length } }));
  expectText(journal, String(String(textOf(result)).length), String(length));
}

async function fail(session: ClientSession, { journal }: World): Promise<void> {
  const result = await within(neverMs, "fail", session.callTool({ name: "fail" }));
  expectText(journal, String(result.isError), "true");
  expectText(journal, String(String(textOf(result)).includes("A tool that fails")), "false");
}

async function list(session: ClientSession, { journal }: World): Promise<void> {
  const { tools } = await within(neverMs, "list", session.listTools());
  expectText(journal, String(tools.some(({ name }) => name === "add")), "true");
}

async function cancel(session: ClientSession, { random, journal }: World): Promise<void> {
  const controller = new AbortController();
  const call = session.callTool({ name: "slow", arguments: { ms: 20_000 } }, { signal: controller.signal });
  setTimeout(() => controller.abort(new Error("not wanted")), random.between(0, 200));
  const outcome = await within(
    neverMs,
    "cancel",
    call.then(
      () => "a result",
      (error: unknown) => (error as Error).message,
    ),
  );
  expectText(journal, outcome, "not wanted");
}

async function watch(session: ClientSession, { journal }: World): Promise<void> {
  const watching = session.watch("note://changing");
  await within(neverMs, "watch.ready", watching.ready);
  const updates = watching[Symbol.asyncIterator]();
  await session.callTool({ name: "change" });
  const { value } = await within(neverMs, "watch", updates.next());
  expectText(journal, value?.uri, "note://changing");
  await updates.return?.();
}

/** Everything that a client of a session may do, by name. */
export const sessionActs: readonly [
  readonly [string, (session: ClientSession, world: World) => Promise<void>],
  ...(readonly [string, (session: ClientSession, world: World) => Promise<void>])[],
] = [
  ["add", add],
  ["report", report],
  ["ask", ask],
  ["large", large],
  ["fail", fail],
  ["list", list],
  ["cancel", cancel],
  ["watch", watch],
];

/** Calls on a socket of its own, in each way in which HTTP serves them. */
export async function rawCalls(port: number, { random, journal }: World): Promise<void> {
  const mode = random.pick<Mode>(["modern", "stateful", "stateless"]);
  const connection = await LoadConnection.open(port);
  try {
    const text: CallText = await callsOn(connection, mode, "x-user: raw\r\n");
    for (let turn = random.between(1, 10); turn > 0; turn--) {
      const a = random.between(0, 1e6);
      const { status, body } = await within(neverMs, mode, connection.send(text("add", { a, b: 1 })));
      const found = body.includes(`"structuredContent":{"sum":${a + 1}}`);
      expectText(journal, found ? "found" : `${status} ${body.toString("latin1", 0, 200)}`, "found");
    }
  } finally {
    connection.close();
  }
}

/** A session that is opened, used once and closed. */
export async function briefSession(port: number, world: World): Promise<void> {
  const version = world.random.pick<Version>(["2025-11-25", "2026-07-28"]);
  const session = await within(neverMs, "connect", connectHTTP(port, version, "brief"));
  try {
    await add(session, world);
  } finally {
    await within(neverMs, "close", session.close());
  }
}
