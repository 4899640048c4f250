import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import type { RemoteSpec } from "@tenon/host";
import { findProxy } from "@tenon/http/client";
import { createHostGuard } from "@tenon/http/server";
import { createRecorder } from "@tenon/testing/cassette";

import type { Invocation } from "../../command/invocation.ts";
import { messageOf } from "../../output/escape.ts";
import { aborted } from "../../serve/front.ts";
import { chosenProxy, proxyOf } from "../../target/proxy.ts";
import type { Recording } from "../recording.ts";
import { createConversations } from "./conversations.ts";
import { recordExchange } from "./exchange.ts";
import { forward } from "./forward.ts";
import { routeTo } from "./route.ts";

/**
 * Listens on this machine in place of a remote server, and records the messages that pass, until
 * the user ends it.
 */
export async function tapRemote(
  invocation: Invocation,
  { label, spec }: { readonly label: string; readonly spec: RemoteSpec },
  recording: Recording,
): Promise<void> {
  const { flags, printer, signal } = invocation;
  const remote = new URL(spec.url);
  const hosts = flags.list("allowed-host");
  const origins = flags.list("allowed-origin");
  const guard = createHostGuard({
    ...(hosts.length === 0 ? {} : { allowedHosts: hosts }),
    ...(origins.length === 0 ? {} : { allowedOrigins: origins }),
  });
  const route = routeTo(remote, await findProxy(remote, chosenProxy(invocation, spec.proxy)));
  const credentials = await credentialsOf(invocation, label, spec);
  const conversations = createConversations(createRecorder(recording.sink, recording.options), printer.note);

  async function headersFor(incoming: IncomingMessage): Promise<Readonly<Record<string, string>>> {
    const login = incoming.headers.authorization === undefined ? await credentials(incoming) : {};
    return { ...spec.headers, ...login };
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const problem = guard({ header: (name) => headerOf(incoming, name) });
    if (problem !== undefined || incoming.url?.startsWith("/") !== true) {
      refuse(outgoing, problem === undefined ? 400 : 403, problem ?? "Bad request: no path");
      return;
    }
    // The body waits: nothing has been read yet.
    const isOwn = isBelow(incoming.url, remote) || conversations.has(incoming.url);
    const headers = isOwn ? await headersFor(incoming) : {};
    await recording.busy;
    const recorder = recordExchange(incoming, conversations);
    forward(incoming, outgoing, { remote, route, headers, recorder });
  }

  const http = createServer({ headersTimeout: 20_000 }, (incoming, outgoing) => {
    handle(incoming, outgoing).catch((error: unknown) => {
      printer.warn(messageOf(error));
      refuse(outgoing, 502, messageOf(error));
    });
  });
  http.listen(flags.integer("port", 0, 65_535) ?? 0, flags.text("host") ?? "127.0.0.1");
  await once(http, "listening");
  const { address, family, port } = http.address() as AddressInfo;
  const host = family === "IPv6" ? `[${address}]` : address;
  const local = `http://${host}:${port}${remote.pathname}`;
  printer.result({ url: local }, () => local);
  printer.note("Interrupt to end.");
  await aborted(signal);
  const closed = once(http, "close");
  http.close();
  http.closeAllConnections();
  await closed;
  route.close();
  await conversations.close();
}

/**
 * Returns whether an address is the address of the server, or below it. Credentials are not sent
 * to other addresses of the same origin, which may belong to others.
 */
function isBelow(url: string, remote: URL): boolean {
  const [path = ""] = url.split(/[?#]/, 1);
  // A server may decode what a URL parser keeps.
  if (/%(?:2e|2f|5c|25|00)|\\|\/\/|\/\.{1,2}(?:\/|$)/i.test(path)) {
    return path === remote.pathname;
  }
  const base = remote.pathname.replace(/\/$/, "");
  return path === remote.pathname || path === base || path.startsWith(`${base}/`);
}

/** How long credentials are used before they are read again, in milliseconds. */
const credentialsMs = 1000;

/** The login of the server, for requests that have no credentials of their own. */
async function credentialsOf(
  invocation: Invocation,
  label: string,
  spec: RemoteSpec,
): Promise<(incoming: IncomingMessage) => Promise<Readonly<Record<string, string>>>> {
  const hasOwn = Object.keys(spec.headers ?? {}).some((name) => /^authorization$/i.test(name));
  if (hasOwn) {
    return () => Promise.resolve({});
  }
  const { authFor } = await import("../../auth/provider.ts");
  const provider = authFor(invocation, proxyOf(invocation, spec.proxy))(label, spec);
  const { signal } = invocation;
  let last: Promise<Readonly<Record<string, string>>> | undefined;
  let readAt = 0;
  return ({ method = "GET" }) => {
    // The store is a folder of files, which every request would wait for.
    if (last === undefined || performance.now() - readAt > credentialsMs) {
      readAt = performance.now();
      last = Promise.resolve(provider?.headers({ url: new URL(spec.url), method, signal })).then(
        (headers) => headers ?? {},
      );
    }
    return last;
  };
}

function refuse(outgoing: ServerResponse, status: number, text: string): void {
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  outgoing.writeHead(status, { "content-type": "text/plain; charset=utf-8", connection: "close" });
  outgoing.end(`tenon tap: ${text}\n`);
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}
