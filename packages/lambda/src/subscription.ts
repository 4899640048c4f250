import type { ServeHandler } from "./serve.ts";

/** As the header of a request names its method. */
const listen = "subscriptions/listen";

/**
 * Wraps a handler so that it opens no streams, which would keep the function running until its
 * timeout. Legacy clients do not ask again for a stream after 405.
 */
export function withoutStreams(handler: ServeHandler): ServeHandler {
  return {
    async serve(request, context) {
      if (request.headers.get("mcp-method") === listen) {
        return unknownMethod(request);
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

async function unknownMethod(request: Request): Promise<Response> {
  const error = { code: -32_601, message: "Subscriptions need a function that streams its responses." };
  const id = idOf(await request.text());
  return Response.json({ jsonrpc: "2.0", id, error }, { status: 404 });
}

function idOf(text: string): string | number | null {
  try {
    const { id } = JSON.parse(text) as { readonly id?: unknown };
    return typeof id === "string" || typeof id === "number" ? id : null;
  } catch {
    return null;
  }
}
