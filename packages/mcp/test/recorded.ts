import { encode, RpcError, wrapTransport, type Outgoing, type Transport } from "@tenon/jsonrpc2";
import { Client, defineMethod, Server, ToolError, type ClientOptions, type ClientSession } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { createInMemoryTransports } from "@tenon/transports-memory";

/** A message as it was on the wire. */
export interface Sent {
  readonly jsonrpc?: unknown;
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Record<string, unknown> & { readonly _meta?: Record<string, unknown> };
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** What each side sent in a conversation that uses every feature of its revision. */
export interface Recording {
  readonly client: readonly Sent[];
  readonly server: readonly Sent[];
  /** Everything, in the order in which it was written. */
  readonly all: readonly (Sent & { readonly by: "client" | "server" })[];
}

const form = { type: "object", properties: { name: { type: "string" } }, required: ["name"] } as const;
const numbers = {
  type: "object",
  properties: { n: { type: "integer" }, m: { type: "integer" } },
  required: ["n", "m"],
} as const;
const own = defineMethod({ method: "com.example/own", extension: "com.example/things", params: numbers });
/** The same method as somebody sees it who knows nothing of its params. */
const unchecked = defineMethod({ method: "com.example/own", extension: "com.example/things" });

/** A server with one of everything, whose handlers succeed, fail, ask, log and report. */
export function everythingServer(): Server {
  const server = new Server(
    { name: "server", version: "1.0.0" },
    { logging: true, limits: { listChangedDelayMs: 0 } },
  );
  server.addTool({ name: "works" }, async (_, ctx) => {
    await ctx.log("warning", { msg: "working" });
    await ctx.progress(1, 2, "half of it");
    return "done";
  });
  server.addTool({ name: "breaks" }, () => {
    throw new Error("at /srv/secret.ts:1:1");
  });
  server.addTool({ name: "refuses" }, () => {
    throw new ToolError("not on Sundays");
  });
  server.addTool({ name: "answers_with_an_error" }, () => {
    throw new RpcError(1001, "No such account");
  });
  server.addTool({ name: "strict", input: { type: "object", required: ["n"] } }, () => "");
  server.addTool({ name: "asks" }, async (_, ctx) => {
    const { action } = await ctx.elicit({ message: "Who?", requestedSchema: form });
    return action;
  });
  server.addPrompt(
    { name: "p", arguments: [{ name: "a", required: true }], complete: { a: ["x"] } },
    () => "",
  );
  server.addPrompt({ name: "typed", arguments: numbers }, () => "");
  server.addResource({ uri: "memo://1", name: "one" }, () => "one");
  server.addResourceTemplate({ uriTemplate: "memo://{id}/x", name: "x" }, () => undefined);
  server.addMethod(own, () => ({}));
  return server;
}

/** Records what passes a transport. */
export function recording(inner: Transport): {
  readonly transport: Transport;
  readonly recording: Recording;
} {
  const all: (Sent & { by: "client" | "server" })[] = [];
  const note = (by: "client" | "server", message: object): void => {
    all.push({ by, ...(JSON.parse(encode(message as Outgoing)) as Sent) });
  };
  const transport = wrapTransport(inner, {
    onWrite: (message) => (note("client", message), message),
    onRead: (message) => (note("server", message), message),
  });
  const of = (side: "client" | "server"): Sent[] => all.filter(({ by }) => by === side);
  return {
    transport,
    recording: {
      all,
      get client() {
        return of("client");
      },
      get server() {
        return of("server");
      },
    },
  };
}

/** Uses everything that the session's revision has, wrong uses too, and waits for the answers. */
export async function useEverything(
  session: ClientSession,
): Promise<readonly PromiseSettledResult<unknown>[]> {
  const outcomes = await Promise.allSettled([
    session.listTools(),
    session.listPrompts(),
    session.listResources(),
    session.listResourceTemplates(),
    session.callTool({ name: "works" }, { onProgress: () => {} }),
    session.callTool({ name: "breaks" }),
    session.callTool({ name: "refuses" }),
    session.callTool({ name: "answers_with_an_error" }),
    session.callTool({ name: "strict" }),
    session.callTool({ name: "asks" }),
    session.callTool({ name: "unknown" }),
    session.getPrompt({ name: "p", arguments: { a: "x" } }),
    session.getPrompt({ name: "p" }),
    session.getPrompt({ name: "unknown" }),
    session.readResource({ uri: "memo://1" }),
    session.readResource({ uri: "memo://2/x" }),
    session.readResource({ uri: "no:such" }),
    session.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }),
    session.complete({ ref: { type: "ref/prompt", name: "unknown" }, argument: { name: "a", value: "" } }),
    session.listTools({ cursor: "no cursor of ours" }),
    session.request(own, { n: 1, m: 2 }),
    session.request(unchecked, { n: "x".repeat(500) }),
    session.getPrompt({ name: "typed", arguments: { n: "one", m: "two" } }),
    session.ping(),
  ]);
  await session.notify("notifications/roots/list_changed");
  return outcomes;
}

/** Has that conversation with {@link everythingServer} and ends it. */
export async function recordEverything(revision: Revision, options?: ClientOptions): Promise<Recording> {
  await using server = everythingServer();
  const client = new Client(
    { name: "client", version: "1.0.0", title: "A client" },
    {
      revisions: [revision],
      roots: [{ uri: "file:///work" }],
      elicitation: { form: () => ({ action: "accept", content: { name: "Ada" } }) },
      extensions: { "com.example/things": {} },
      onLog: () => {},
      ...options,
    },
  );
  const [here, there] = createInMemoryTransports();
  await server.connect(there);
  const recorded = recording(here);
  await using session = await client.connect(recorded.transport);
  await useEverything(session);
  return recorded.recording;
}
