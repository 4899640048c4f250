import { Client, type ClientOptions, type ClientSession } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";
import { taskClient } from "@tenon/tasks/client";
import type { Deferred } from "@tenon/test-support";

import { pause } from "./faults.ts";
import { drawingLength } from "./node.ts";
import type { NodeLink, Nodes } from "./nodes.ts";

/** What a client sends, before it arrives at a node. */
export interface Sent {
  readonly verb: string;
  /** The method of the message, `response` for a response, `""` without a message. */
  readonly method: string;
}

/** What happens to one message between client and server. */
export type MessageFault = "lose" | "lose the response" | "cut the response" | "double" | "delay";

/** Two nodes, a balancer that knows nothing of sessions, and the clients of one exchange. */
export interface World extends AsyncDisposable {
  readonly nodes: readonly [NodeLink, NodeLink];
  /** The key of a call for the tools: the name that an exchange has for it is not unique. */
  key(name: string): string;
  /** How often the effect of a call has happened, by its name. */
  effectsOf(name: string): number;
  /** What a tool waits for, by the name of its call. */
  gateOf(name: string): Deferred<void>;
  /** Chooses the node of a request. Default: each in turn, without killed ones. */
  route: (sent: Sent) => number | undefined;
  /** The messages that clients have sent. */
  readonly sent: Sent[];
  faultOf: (sent: Sent, index: number) => MessageFault | undefined;
  /** Breaks the streams on which clients read. */
  cut(): void;
  connect(revision: string, options?: Partial<ClientOptions>): Promise<ClientSession>;
}

/**
 * Puts a balancer before two nodes. Ending it closes its clients, not the nodes.
 *
 * @param name - Distinguishes its calls from those of other exchanges at the same nodes.
 * @param reconnect - As of the transports of its clients.
 */
export function startWorld(
  { links: nodes, effects, gateOf }: Nodes,
  name: string,
  reconnect: { initialDelayMs?: number; maxDelayMs?: number; maxRetries?: number },
): World {
  const key = (call: string): string => `${name}: ${call}`;
  const streams = new Set<TransformStreamDefaultController<Uint8Array>>();

  /** Sends one request to a node, as a balancer on a network does. */
  async function pass(node: number, url: string, init: RequestInit): Promise<Response> {
    const response = await (nodes[node] as NodeLink).fetch(url, init);
    if (response.body === null) {
      return response;
    }
    let own: TransformStreamDefaultController<Uint8Array> | undefined;
    const cuttable = new TransformStream<Uint8Array, Uint8Array>({
      start(controller) {
        own = controller;
        streams.add(controller);
      },
      flush: () => void (own && streams.delete(own)),
    });
    const { status, headers } = response;
    return new Response(response.body.pipeThrough(cuttable), { status, headers });
  }

  const sent: Sent[] = [];
  const send = async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const url = input instanceof Request ? input.url : String(input);
    const message = sentBy(init);
    const index = sent.push(message) - 1;
    const alive = nodes.findIndex(({ isKilled }) => !isKilled);
    const turn = nodes[index % 2]?.isKilled === true ? alive : index % 2;
    const node = world.route(message) ?? turn;
    switch (world.faultOf(message, index)) {
      case "lose":
        throw new TypeError("fetch failed");
      case "lose the response": {
        const response = await pass(node, url, init);
        await response.body?.cancel();
        throw new TypeError("fetch failed");
      }
      case "cut the response": {
        const response = await pass(node, url, init);
        const { status, headers } = response;
        const part = new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            controller.enqueue(chunk.subarray(0, chunk.length / 2));
            controller.error(new TypeError("The connection was cut."));
          },
        });
        return new Response(response.body?.pipeThrough(part), { status, headers });
      }
      case "double": {
        // As a proxy that repeats a request whose connection broke: the first response is lost.
        const lost = await pass(node, url, init);
        await lost.body?.cancel();
        return pass(node, url, init);
      }
      case "delay":
        await pause(20);
        return pass(node, url, init);
      case undefined:
        return pass(node, url, init);
    }
  };

  const clients: Client[] = [];
  const world: World = {
    nodes,
    key,
    effectsOf: (call) => effects.get(key(call)) ?? 0,
    gateOf: (call) => gateOf(key(call)),
    sent,
    route: () => undefined,
    faultOf: () => undefined,
    cut() {
      streams.forEach((stream) => stream.error(new TypeError("The connection was cut.")));
      streams.clear();
    },
    async connect(revision, options = {}) {
      const client = new Client(
        { name: "client", version: "1.0.0" },
        {
          revisions: [revision as "2026-07-28"],
          onError: () => undefined,
          limits: { timeoutMs: 20_000, totalTimeoutMs: 30_000 },
          elicitation: { form: () => ({ action: "accept", content: { name: "Ada" } }) },
          sampling: {
            createMessage: () => ({
              role: "assistant",
              model: "m",
              content: { type: "text", text: "x".repeat(drawingLength) },
            }),
          },
          ...options,
        },
      );
      client.use(taskClient());
      clients.push(client);
      return client.connect(
        new StreamableClientTransport("http://127.0.0.1/mcp", { fetch: send, reconnect, eras: false }),
      );
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
  return world;
}

function sentBy(init: RequestInit): Sent {
  const verb = init.method ?? "GET";
  // Long bodies are not parsed: most of the time of the suites would be spent on it.
  const head = typeof init.body === "string" ? init.body.slice(0, 200) : "";
  const [, method] = /^\{"jsonrpc":"2\.0",(?:"id":[^,]*,)?"method":"([^"]*)"/.exec(head) ?? [];
  return { verb, method: method ?? (verb === "POST" ? "response" : "") };
}
