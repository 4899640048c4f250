import { isRecord } from "@tenon/base";
import type { ServeContext } from "@tenon/transports-streamable-http/server";

import type { ServeHandler } from "./serve.ts";

/** As the header of a request names its method. */
const listen = "subscriptions/listen";

/** No server has it, so that a handler rejects it after all its checks of the sender. */
const unknown = "subscriptions/none";

const methodHeader = "mcp-method";

/**
 * Wraps a handler so that it opens no streams, which would keep the function running until its
 * timeout. Legacy clients do not ask again for a stream after 405.
 */
export function withoutStreams(handler: ServeHandler): ServeHandler {
  return {
    async serve(request, context) {
      if (request.method === "POST" && request.headers.get(methodHeader) === listen) {
        return withoutListening(handler, request, context);
      }
      if (request.method !== "GET") {
        return handler.serve(request, context);
      }
      // Without a session there is no stream to open. The handler still checks the sender, and
      // allows the origin of a browser to read the response.
      request.headers.delete("mcp-session-id");
      request.headers.delete("last-event-id");
      const response = await handler.serve(request, context);
      const type = response.headers.get("content-type") ?? "";
      const isRefused = response.status === 405 && type.startsWith("application/json");
      return isRefused || type.startsWith("text/event-stream") ? noStream(response) : response;
    },
  };
}

function noStream({ body, headers: given }: Response): Response {
  void body?.cancel().catch(() => undefined);
  const headers = new Headers(given);
  headers.delete("content-length");
  headers.delete("content-type");
  headers.set("allow", given.get("allow") ?? "POST");
  const message = "Event streams need a function that streams its responses.";
  return Response.json(
    { jsonrpc: "2.0", id: null, error: { code: -32_600, message } },
    { status: 405, headers },
  );
}

/**
 * Rejects a subscription as an unknown method. The handler still checks the sender, and allows the
 * origin of a browser to read the response.
 */
async function withoutListening(
  handler: ServeHandler,
  { url, method, headers: given, body, signal }: Request,
  context: ServeContext,
): Promise<Response> {
  const text = await new Response(body).text();
  const message = parsed(text);
  const headers = new Headers(given);
  const isListening = isRecord(message) && message["method"] === listen;
  if (isListening) {
    headers.delete("content-length");
    headers.set(methodHeader, unknown);
  }
  const sent = isListening ? JSON.stringify({ ...message, method: unknown }) : text;
  const response = await handler.serve(new Request(url, { method, headers, body: sent, signal }), context);
  return isListening ? explained(response) : response;
}

/** The response to an unknown method, with the reason. */
async function explained(response: Response): Promise<Response> {
  const { status, headers: given } = response;
  if (given.get("content-type")?.startsWith("application/json") !== true) {
    return response;
  }
  const text = await response.text();
  const answer = parsed(text);
  const error = isRecord(answer) ? answer["error"] : undefined;
  const headers = new Headers(given);
  headers.delete("content-length");
  if (!isRecord(error) || error["code"] !== -32_601) {
    return new Response(text, { status, headers });
  }
  const message = "Subscriptions need a function that streams its responses.";
  return Response.json({ ...(answer as object), error: { code: -32_601, message } }, { status, headers });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
