import type { IncomingMessage, ServerResponse } from "node:http";

/** A request as the broker sees it, from any adapter. */
export interface BrokerRequest {
  readonly method: string;
  readonly path: string;
  /** The query with its `?`, if the target has a query. */
  readonly search: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
  /** The address of the sender, if the adapter knows it. */
  readonly address: string | undefined;
}

/** A response of the broker. */
export interface BrokerResponse {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** Serves a request. Never rejects. */
export type Serve = (request: BrokerRequest) => Promise<BrokerResponse>;

/** Maximum size of a body in bytes, and how long it may take. */
const maxBodyBytes = 65_536;
const bodyTimeoutMs = 10_000;

/** A body that is too large or too slow. */
const tooLarge: BrokerResponse = {
  status: 413,
  headers: [["content-type", "text/plain"]],
  body: `The body must be of at most ${maxBodyBytes} bytes and complete within ${bodyTimeoutMs / 1000} seconds; got another.\n`,
};

/** The handlers that serve some paths, for every adapter. */
export interface BrokerRoute {
  /** The paths that are served. Mount the route at each of them. */
  readonly paths: readonly string[];
  /** Serves a request of `node:http`, Express or Fastify. Never rejects. */
  node(
    request: IncomingMessage,
    response: ServerResponse,
    context?: { readonly parsedBody?: unknown },
  ): Promise<void>;
  /** Serves a `Request`, for Hono and handlers of `fetch`. Never rejects. */
  serve(request: Request, context?: BrokerRouteContext): Promise<Response>;
  /** The same; `undefined` for a path that is not served. */
  fetch(request: Request, context?: BrokerRouteContext): Promise<Response> | undefined;
}

/** The facts about a `Request` that are not in it. */
export interface BrokerRouteContext {
  /** The address of the sender. Without it, senders share the limits on their rates. */
  readonly address?: string | undefined;
}

/** Creates a route. @param addressOf - Determines the sender of a request of `node:http`. */
export function createRoute(
  paths: readonly string[],
  serve: Serve,
  addressOf: (request: IncomingMessage) => string | undefined,
): BrokerRoute {
  const known = new Set(paths);

  async function serveWeb(request: Request, context?: BrokerRouteContext): Promise<Response> {
    const { pathname, search, host } = new URL(request.url);
    const body = await bodyOf(request.body);
    const {
      status,
      headers,
      body: text,
    } = body === undefined
      ? tooLarge
      : await serve({
          method: request.method,
          path: pathname,
          search,
          headers: { host, ...Object.fromEntries(request.headers) },
          body,
          address: context?.address,
        });
    const fields = headers.map(([name, value]): [string, string] => [name, value]);
    return new Response(text === "" ? null : text, { status, headers: fields });
  }

  return {
    paths,
    async node(request, response, { parsedBody } = {}) {
      const target = originalUrl(request);
      const query = target.indexOf("?");
      const body = request.readableEnded ? encoded(parsedBody, request) : await bodyOf(request);
      const result =
        body === undefined
          ? tooLarge
          : await serve({
              method: request.method ?? "GET",
              path: query < 0 ? target : target.slice(0, query),
              search: query < 0 ? "" : target.slice(query),
              headers: single(request.headers),
              body,
              address: addressOf(request),
            });
      for (const [name, value] of result.headers) {
        response.appendHeader(name, value);
      }
      response.writeHead(result.status).end(request.method === "HEAD" ? "" : result.body);
    },
    serve: serveWeb,
    fetch: (request, context) =>
      known.has(new URL(request.url).pathname) ? serveWeb(request, context) : undefined,
  };
}

/** The target as it was received: routers of frameworks take their own path off `url`. */
function originalUrl(request: IncomingMessage & { readonly originalUrl?: string }): string {
  return request.originalUrl ?? request.url ?? "/";
}

function single(headers: IncomingMessage["headers"]): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : value]),
  );
}

/** Encodes a body that a framework has parsed. */
function encoded(body: unknown, request: IncomingMessage): Buffer {
  if (body === undefined || body === null || typeof body !== "object") {
    return Buffer.from(typeof body === "string" ? body : "");
  }
  const isForm = request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded") === true;
  return Buffer.from(
    isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body),
  );
}

/** `undefined` for a body that is too large or too slow. */
async function bodyOf(stream: AsyncIterable<Uint8Array> | null): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), bodyTimeoutMs);
  });
  async function read(): Promise<Buffer | undefined> {
    for await (const chunk of stream ?? []) {
      size += chunk.length;
      if (size > maxBodyBytes) {
        return undefined;
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, size);
  }
  try {
    return await Promise.race([read(), late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}
