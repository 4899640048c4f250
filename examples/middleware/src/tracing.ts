import type { ClientSession, SendingMiddleware } from "@tenon/sdk/client";
import type { ReceivingMiddleware, ServerRequest } from "@tenon/sdk/server";

/** A finished piece of work. */
export interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly failed: boolean;
}

/** Called with each finished span. */
export type Exporter = (span: Span) => void;

const traceparentPattern = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;

function randomHex(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

/**
 * Sends each request with a `traceparent` in its `_meta`, without prefix, as the protocol reserves
 * it.
 */
export function tracingClient(exporter: Exporter): SendingMiddleware<ClientSession> {
  return (next) => async (call) => {
    const [traceId, spanId] = [randomHex(16), randomHex(8)];
    const meta = call.params !== undefined && "_meta" in call.params ? call.params._meta : undefined;
    const params = {
      ...call.params,
      _meta: { ...(meta as object | undefined), traceparent: `00-${traceId}-${spanId}-01` },
    };
    let failed = true;
    try {
      const result = await next({ ...call, params });
      failed = false;
      return result;
    } finally {
      exporter({ name: call.method, traceId, spanId, parentId: undefined, failed });
    }
  };
}

/** Makes a span of each request; it belongs to the trace that the client names, if it names one. */
export function tracingServer(exporter: Exporter): ReceivingMiddleware<ServerRequest> {
  return (next) => async (request) => {
    const { traceparent } = request.meta;
    const parent = typeof traceparent === "string" ? traceparentPattern.exec(traceparent) : null;
    const span = {
      name: request.method,
      traceId: parent?.[1] ?? randomHex(16),
      spanId: randomHex(8),
      parentId: parent?.[2],
    };
    let failed = true;
    try {
      const result = await next(request);
      failed = false;
      return result;
    } finally {
      exporter({ ...span, failed });
    }
  };
}
