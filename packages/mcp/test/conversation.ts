import type { Server, ServerOptions } from "@tenon/mcp";
import { eraOf, revisions, type Revision } from "@tenon/protocol";

import { initialize, modern, openWire, request, type Wire } from "./wire.ts";

/** An answer as it came over the wire. */
export interface Answer {
  readonly id: unknown;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/**
 * A client in one revision, written by hand, so that every member of every message can be looked
 * at.
 */
export interface Conversation extends AsyncDisposable {
  readonly wire: Wire;
  readonly server: Server;
  /** Asks, and waits for the answer; what is notified meanwhile goes to `notifications`. */
  call(method: string, params?: Record<string, unknown>, meta?: object): Promise<Answer>;
  /** Asks without waiting. */
  send(id: string | number, method: string, params?: Record<string, unknown>): Promise<void>;
  /** Waits for a message that is no answer to `call`. */
  next(): Promise<unknown>;
  readonly notifications: unknown[];
}

/** The result of an answer. @throws If it is an error. */
export function resultOf({ result, error }: Answer): Record<string, unknown> {
  if (result === undefined) {
    throw new Error(`Expected a result, got ${JSON.stringify(error)}`);
  }
  return result;
}

const protocolVersion = "io.modelcontextprotocol/protocolVersion";

/** Every published revision. */
export const everyRevision: readonly Revision[] = revisions;

/** The revisions with a handshake. */
export const legacyRevisions: readonly Revision[] = revisions.filter(
  (revision) => eraOf(revision) === "legacy",
);

/** Opens a conversation in a revision, with the handshake if it has one. */
export async function converse(
  revision: Revision,
  setUp: (server: Server) => void,
  options: ServerOptions = {},
): Promise<Conversation> {
  const wire = await openWire({ ...options, limits: { listChangedDelayMs: 0, ...options.limits } }, setUp);
  const isModern = eraOf(revision) === "modern";
  if (!isModern) {
    await wire.ask(initialize(revision));
    await wire.tell({ jsonrpc: "2.0", method: "notifications/initialized" });
  }
  let lastId = 0;
  const notifications: unknown[] = [];
  const paramsOf = (params: Record<string, unknown>, meta: object): object =>
    isModern
      ? { ...params, _meta: { ...modern, [protocolVersion]: revision, ...meta } }
      : { ...params, _meta: meta };
  return {
    wire,
    server: wire.server,
    notifications,
    async call(method, params = {}, meta = {}) {
      const id = `call-${++lastId}`;
      await wire.tell(request(id, method, paramsOf(params, meta)));
      for (;;) {
        const message = (await wire.next()) as Answer | undefined;
        if (message === undefined) {
          throw new Error("The connection ended before the answer.");
        }
        if (message.id === id) {
          return message;
        }
        notifications.push(message);
      }
    },
    send: (id, method, params = {}) => wire.tell(request(id, method, paramsOf(params, {}))),
    next: async () => notifications.shift() ?? wire.next(),
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
}
