import { CallRelay, Lanes, type LaneLimits, type LanesOptions } from "@tenon/host";
import type { Transport } from "@tenon/jsonrpc2";
import { Client, Server, type RequestContext, type ServerOptions } from "@tenon/mcp";
import type { Revision } from "@tenon/protocol";
import { modernRevision } from "@tenon/test-support";
import { createInMemoryTransports } from "@tenon/transports-memory";
import { createStreamableHandler } from "@tenon/transports-streamable-http/server";
import { onTestFinished } from "vitest";

export const form = { type: "object", properties: { name: { type: "string" } } } as const;

/** A proxy in front of a server. */
export interface Proxied {
  readonly front: Server;
  readonly relay: CallRelay;
  readonly lanes: Lanes;
  /** The runs of the tools of the server behind. */
  readonly runs: string[];
  /** The capabilities that the server behind saw, by call. */
  readonly declared: object[];
  /** The connections that were opened. */
  readonly connections: { count: number };
  /** One request of a modern client over HTTP. */
  send(
    who: string,
    name: string,
    params?: object,
    capabilities?: object,
    signal?: AbortSignal,
  ): Promise<Answer>;
}

/** What a modern client gets. */
export interface Answer {
  readonly result?: {
    readonly resultType?: string;
    readonly content?: readonly { readonly text: string }[];
    readonly isError?: boolean;
    readonly requestState?: string;
    readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params: object }>>;
  };
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface ProxiedOptions extends Partial<
  Pick<LanesOptions, "isolation" | "related" | "onEnd" | "onError" | "onUnreachable">
> {
  readonly back: Revision;
  readonly limits?: LaneLimits;
  readonly server?: ServerOptions;
  /** Delays each connection. */
  readonly onOpen?: () => Promise<void>;
  /** Wraps the transport to the server behind. */
  readonly wrap?: (transport: Transport) => Transport;
  /** Called with the server behind, before it connects. */
  readonly prepare?: (server: Server) => void;
}

/** All that a client can be asked for. */
export const everything = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** Puts a proxy in front of a server in memory. */
export async function proxied(
  {
    back,
    limits = {},
    server: serverOptions,
    prepare: prepareServer,
    onOpen,
    wrap,
    ...options
  }: ProxiedOptions,
  tools: Readonly<Record<string, (context: RequestContext, name: string) => unknown>>,
): Promise<Proxied> {
  const runs: string[] = [];
  const declared: object[] = [];
  const connections = { count: 0 };
  const server = new Server(
    { name: "behind", version: "1.0.0" },
    { revisions: [back], onError: () => {}, ...serverOptions },
  );
  prepareServer?.(server);
  const input = { type: "object", properties: { name: { type: "string" } } } as const;
  for (const [tool, run] of Object.entries(tools)) {
    server.addTool({ name: tool, input }, async ({ name = "" }, context) => {
      runs.push(`${tool} ${name}`.trim());
      declared.push(context.client.capabilities);
      context.signal.addEventListener("abort", () => runs.push(`abort ${tool} ${name}`.trim()));
      return (await run(context, name)) as string;
    });
  }
  const relay = new CallRelay({ limits });
  const lanes = new Lanes({
    ...options,
    limits,
    async connect({ options: own, prepare }) {
      connections.count++;
      await onOpen?.();
      const client = new Client({ name: "proxy", version: "1.0.0" }, { ...own, onError: () => {} });
      prepare(client);
      const [here, there] = createInMemoryTransports();
      await server.connect(there);
      return client.connect(wrap?.(here) ?? here);
    },
  });
  const front = new Server({ name: "front", version: "1.0.0" }, { onError: () => {} });
  front.addReceivingMiddleware(
    (next) => (request) => (request.method === "tools/call" ? relay.forward(request, lanes) : next(request)),
  );
  const handler = createStreamableHandler({
    getServer: () => front,
    sessions: false,
    onError: () => {},
    authenticate: ({ headers }) => ({ principal: headers.get("x-who") ?? "nobody" }),
  });
  onTestFinished(async () => {
    await relay.close();
    await lanes.close();
    await handler.close({ drainMs: 0 });
    await server.close({ drainMs: 0 });
  });
  return {
    front,
    relay,
    lanes,
    runs,
    declared,
    connections,
    async send(who, name, params = {}, capabilities = everything, signal?: AbortSignal) {
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": modernRevision,
        "io.modelcontextprotocol/clientCapabilities": capabilities,
      };
      const response = await handler.fetch(
        new Request("http://localhost/mcp", {
          method: "POST",
          ...(signal === undefined ? {} : { signal }),
          headers: {
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
            "mcp-protocol-version": modernRevision,
            "mcp-method": "tools/call",
            "mcp-name": name,
            "x-who": who,
          },
          body: JSON.stringify({
            jsonrpc: "2.0",
            id: 1,
            method: "tools/call",
            params: { name, ...params, _meta },
          }),
        }),
      );
      const text = await response.text();
      const data = text.split("\n").findLast((line) => line.startsWith("data: {"));
      return JSON.parse(data === undefined ? text : data.slice(6)) as Answer;
    },
  };
}

/** The params of the next round: the same answer to all input requests. */
export function answering({ result }: Answer, answer: object): object {
  const keys = Object.keys(result?.inputRequests ?? {});
  return {
    requestState: result?.requestState,
    inputResponses: Object.fromEntries(keys.map((key) => [key, answer])),
  };
}

export const accept = (name: string): object => ({ action: "accept", content: { name } });

/** Asks for a name in a form. */
export async function askName(context: RequestContext, message = "Who?"): Promise<string> {
  const answer = await context.elicit({ message, requestedSchema: form });
  return `${answer.action} ${answer.action === "accept" ? String(answer.content.name) : ""}`.trim();
}
