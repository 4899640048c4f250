import type { ServerRequest } from "@tenon/mcp";

import { targetOf, type Ending, type Outcome } from "../outcome.ts";

/** A request of a client, with its sender and its outcome. */
export interface AuditEvent {
  /** Unique. An event whose writing failed is written again with the same ID. */
  readonly id: string;
  /** When the request arrived, such as `2026-11-26T10:00:00.000Z`. */
  readonly time: string;
  /** Such as `tools/call`. */
  readonly method: string;
  /** The name of the tool or the prompt, or the URI. At most 1,024 characters. */
  readonly target?: string | undefined;
  /** The verified sender; `undefined` for a sender that was not authenticated. */
  readonly principal?: string | undefined;
  /** The OAuth client that sent the request. */
  readonly clientId?: string | undefined;
  /** The IP address of the sender, or of the last proxy before this server. */
  readonly address?: string | undefined;
  readonly outcome: Outcome;
  /** The code of the error response. */
  readonly code?: number | undefined;
  readonly durationMs: number;
  /**
   * The arguments of a tool or a prompt, as the option `arguments` returned them: JSON, cut at
   * 8,192 characters.
   */
  readonly arguments?: string | undefined;
}

/** A record of events that were dropped because the queue was full. */
export interface AuditGap {
  readonly id: string;
  /** When the first of them was dropped. */
  readonly time: string;
  /** How many were dropped. */
  readonly dropped: number;
}

/** Creates the event of a request that has ended. */
export function auditEvent(
  request: ServerRequest,
  { outcome, code }: Ending,
  started: { readonly date: Date; readonly durationMs: number; readonly shown: string | undefined },
): AuditEvent {
  const { method, auth, http } = request;
  return {
    id: crypto.randomUUID(),
    time: started.date.toISOString(),
    method,
    target: targetOf(request),
    principal: auth?.principal,
    clientId: auth?.clientId,
    address: http?.address,
    outcome,
    code,
    durationMs: Math.round(started.durationMs * 1000) / 1000,
    arguments: started.shown,
  };
}
