import { createServer } from "node:http";

import { checkOptionNames } from "@tenon/base";

import { createInspector, type Inspector, type InspectorOptions } from "../index.ts";
import { nodeListener } from "./listener.ts";
import { listen, stop } from "./listening.ts";
import type { Sandbox } from "./sandbox.lazy.ts";

/** Options of {@link startInspector}. */
export interface StartInspectorOptions extends Omit<InspectorOptions, "allowedHosts" | "path" | "sandbox"> {
  /** The port. Default: `0`, a free one. */
  readonly port?: number | undefined;
  /**
   * The address to listen at: `127.0.0.1` (the default) or `::1`. At `::1`, views of tools are not
   * shown in a frame, because no policy could allow its address.
   */
  readonly host?: "127.0.0.1" | "::1" | undefined;
}

/** An inspector that listens. */
export interface StartedInspector extends Omit<Inspector, "grant" | "handle" | "link"> {
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
  checkOptionNames("startInspector", options, "source savedCalls servers model limits port host");
  const { port = 0, host = "127.0.0.1", ...rest } = options;
  if (!["127.0.0.1", "::1"].includes(host)) {
    throw new TypeError(`The inspector listens at 127.0.0.1 or ::1 only; got ${JSON.stringify(host)}.`);
  }
  const http = createServer({ headersTimeout: 20_000 });
  const bound = await listen(http, port, host);
  const name = host === "::1" ? "[::1]" : host;
  const origin = `http://${name}:${bound}`;
  // Content security policies have no notation for addresses of IPv6.
  let sandbox: Sandbox | undefined;
  let inspector: Inspector;
  try {
    if (host !== "::1") {
      sandbox = await (await import("./sandbox.lazy.ts")).startSandbox(origin, host);
    }
    inspector = createInspector({
      ...rest,
      allowedHosts: [`${name}:${bound}`, `localhost:${bound}`],
      ...(sandbox === undefined ? {} : { sandbox: `http://${name}:${sandbox.port}/` }),
    });
  } catch (error) {
    await Promise.all([stop(http), sandbox?.close()]);
    throw error;
  }
  http.on("request", nodeListener(inspector.handle));
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    await inspector.close();
    await Promise.all([stop(http), sandbox?.close()]);
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
