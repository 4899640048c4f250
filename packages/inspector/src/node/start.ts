import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { checkOptionNames, type OptionNames } from "@tenon/jsonrpc2/transport";

import { createInspector, type Inspector, type InspectorOptions } from "../index.ts";
import { nodeListener } from "./listener.ts";

/** Options of {@link startInspector}. */
export interface StartInspectorOptions extends Omit<InspectorOptions, "allowedHosts" | "path"> {
  /** The port. Default: `0`, a free one. */
  readonly port?: number | undefined;
  /** The address to listen at: `127.0.0.1` (the default) or `::1`. */
  readonly host?: "127.0.0.1" | "::1" | undefined;
}

const optionNames: OptionNames<StartInspectorOptions> = {
  source: true,
  savedCalls: true,
  limits: true,
  port: true,
  host: true,
};

/** An inspector that listens. */
export interface StartedInspector extends Omit<Inspector, "link" | "handle"> {
  /** A link for the first browser. It works once: see {@link link}. */
  readonly url: URL;
  /** A new link, for another browser. */
  link(): URL;
}

/**
 * Starts an inspector on this machine. Nothing but the loopback interface can reach it.
 *
 * @throws If the port is taken. `TypeError` for an option that does not exist, and for a host that
 *   is not a loopback address.
 */
export async function startInspector(options: StartInspectorOptions): Promise<StartedInspector> {
  checkOptionNames("startInspector", options, optionNames);
  const { port = 0, host = "127.0.0.1", ...rest } = options;
  if (!["127.0.0.1", "::1"].includes(host)) {
    throw new TypeError(`The inspector listens at 127.0.0.1 or ::1 only; got ${JSON.stringify(host)}.`);
  }
  const http = createServer({ headersTimeout: 20_000 });
  http.listen(port, host);
  await once(http, "listening");
  const { port: bound } = http.address() as AddressInfo;
  const name = host === "::1" ? "[::1]" : host;
  const inspector = createInspector({
    ...rest,
    allowedHosts: [`${name}:${bound}`, `localhost:${bound}`],
  });
  http.on("request", nodeListener(inspector.handle));
  const origin = `http://${name}:${bound}`;
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await inspector.close();
    const closed = once(http, "close");
    http.close();
    http.closeAllConnections();
    await closed;
  };
  const { observe, write, observeFetch, authEvent } = inspector;
  const started: StartedInspector = {
    url: inspector.link(origin),
    link: () => inspector.link(origin),
    observe,
    write,
    observeFetch,
    authEvent,
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => started.close(),
  };
  return started;
}
