import type { IncomingMessage, ServerResponse } from "node:http";

import { messageOf } from "../../output/escape.ts";
import type { ExchangeRecorder } from "./exchange.ts";
import type { Route } from "./route.ts";

/** Headers that concern one connection, not the message. */
const hopByHop = new Set([
  "connection",
  "expect",
  "host",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** A request that goes to the server, and how it differs from the request of the host. */
export interface ForwardOptions {
  /** The address of the server. Its origin replaces the origin of this machine. */
  readonly remote: URL;
  readonly route: Route;
  /** Headers that are added if the host does not send them. */
  readonly headers: Readonly<Record<string, string>>;
  readonly recorder: ExchangeRecorder;
}

/**
 * Sends a request to the server and its response to the host. Method, path, headers and bytes are
 * unchanged, except for headers that concern one connection. When one side disconnects, so does the
 * other.
 */
export function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { remote, route, headers, recorder }: ForwardOptions,
): void {
  const { method, url = "/" } = incoming;
  const own = url === remote.pathname ? `${url}${remote.search}` : url;
  const sent = route.request(method, own, [
    ...["Host", remote.host],
    ...endToEnd(incoming),
    ...added(incoming, headers),
  ]);
  let isCut = false;
  sent.on("response", (response) => {
    const refusal = route.refusal(response.statusCode);
    if (refusal !== undefined) {
      response.destroy();
      fail(new Error(refusal));
      return;
    }
    void recorder.response(response, () => isCut || !outgoing.destroyed);
    outgoing.sendDate = false;
    outgoing.writeHead(response.statusCode ?? 502, response.statusMessage, endToEnd(response));
    // The headers of a stream come long before its first event.
    outgoing.flushHeaders();
    response.on("error", () => {
      isCut = !outgoing.destroyed;
      outgoing.destroy();
    });
    response.pipe(outgoing);
  });
  sent.on("error", fail);
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) {
      sent.destroy();
    }
  });
  incoming.pipe(sent);

  function fail(error: Error): void {
    if (outgoing.destroyed) {
      return;
    }
    if (outgoing.headersSent) {
      outgoing.destroy();
      return;
    }
    void recorder.failed(error);
    outgoing.writeHead(502, { "content-type": "text/plain; charset=utf-8" });
    outgoing.end(`tenon tap: ${remote.origin} cannot be reached: ${messageOf(error)}\n`);
  }
}

/** The headers of a message, in its order and spelling, except for headers of the connection. */
function endToEnd({ rawHeaders, headers }: IncomingMessage): string[] {
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  return rawHeaders.flatMap((name, index) => {
    const isName = index % 2 === 0;
    const key = name.toLowerCase();
    return isName && !hopByHop.has(key) && !named.includes(key) ? [name, rawHeaders[index + 1] ?? ""] : [];
  });
}

function added({ headers }: IncomingMessage, more: Readonly<Record<string, string>>): string[] {
  return Object.entries(more).flatMap(([name, value]) =>
    headers[name.toLowerCase()] === undefined ? [name, value] : [],
  );
}
