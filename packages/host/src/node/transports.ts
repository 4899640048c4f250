import type { DecodeLimits, Transport } from "@tenon/jsonrpc2";
import { SSEClientTransport } from "@tenon/transports-sse/client";
import { CommandTransport, type ProcessLauncher, type ShutdownStep } from "@tenon/transports-stdio";
import {
  proxyFetch,
  StreamableClientTransport,
  type AuthProvider,
  type FetchLike,
} from "@tenon/transports-streamable-http/client";
import type { SocketTransportOptions } from "@tenon/transports-streamable-http/socket";

import { checkOptionNames } from "../limits.ts";
import type { TransportEvents, TransportFactory } from "../manager/options.ts";
import { isSocketUrl, type RemoteSpec, type ServerSpec } from "../spec.ts";

/** Options of {@link nodeTransports}. */
export interface NodeTransportOptions {
  /** Starts programs. Default: `node:child_process`, a process group for each. @source S-216 */
  readonly launcher?: ProcessLauncher | undefined;
  /**
   * The steps that end child processes. By default standard input is closed, then `SIGTERM` is
   * sent, then `SIGKILL`.
   */
  readonly shutdown?: readonly ShutdownStep[] | undefined;
  /**
   * Returns the provider of credentials for a remote server that has no `auth` of its own. Called
   * for every connection: return the same provider for the same server. By default requests are
   * unauthenticated.
   *
   * @source S-241
   */
  readonly auth?: ((server: string, spec: RemoteSpec) => AuthProvider | undefined) | undefined;
  /**
   * Sends the requests to remote servers, for example to observe them or through a proxy
   * (`proxyFetch`). Requests to servers on sockets (`http+unix:`) do not use it. By default
   * `undici` with a pool of its own, through the proxies of the environment, or through the `proxy`
   * of the server's spec.
   */
  readonly fetch?: FetchLike | undefined;
  /**
   * Called with each line that a child process writes to standard error. If a child process
   * fails, its error also quotes its last lines. By default the lines are discarded.
   */
  readonly onStderr?: ((server: string, line: string) => void) | undefined;
  /**
   * Limits on the messages that servers send. A call whose response exceeds one of them rejects
   * with `LIMIT_EXCEEDED`, and other calls continue. By default, each transport has its own limits.
   */
  readonly limits?: DecodeLimits | undefined;
}

/**
 * Makes transports as specs say: programs over standard input and output, Streamable HTTP at
 * ports, on Unix sockets and on named pipes of Windows, and the HTTP with SSE of 2024-11-05.
 *
 * @throws `HostError` `INVALID_OPTION` for options that do not exist.
 * @source S-215
 */
export function nodeTransports(options: NodeTransportOptions = {}): TransportFactory {
  checkOptionNames("nodeTransports", options, "limits launcher shutdown auth fetch:function onStderr", {});
  return (server, spec, events) => transportOf(server, spec, events, options);
}

function transportOf(
  server: string,
  spec: Exclude<ServerSpec, { type: "custom" }>,
  { onSessionRestored }: TransportEvents,
  { launcher, shutdown, auth, fetch, onStderr, limits: shared }: NodeTransportOptions,
): Transport {
  const sending =
    fetch ?? (spec.type === "stdio" || spec.proxy === undefined ? undefined : proxyFetch(spec.proxy));
  const limits = { ...shared, ...spec.limits };
  switch (spec.type) {
    case "stdio": {
      const { command, args, env, cwd, inheritEnv } = spec;
      const stderr = (line: string): void => onStderr?.(server, line);
      return new CommandTransport({
        command,
        args,
        env,
        cwd,
        inheritEnv,
        stderr,
        launcher,
        shutdown,
        limits,
      });
    }
    case "http":
      if (isSocketUrl(spec.url)) {
        const provider = spec.auth ?? auth?.(server, spec);
        return onSocket(spec.url, { limits, headers: spec.headers, auth: provider, onSessionRestored });
      }
      return new StreamableClientTransport(spec.url, {
        fetch: sending,
        limits,
        headers: spec.headers,
        auth: spec.auth ?? auth?.(server, spec),
        // a server that knows only the transport of 2024-11-05.
        fallback: (url, { fetch: same, headers, auth: who }) =>
          new SSEClientTransport(url, { fetch: same, headers, auth: who, limits }),
        onSessionRestored,
      });
    case "sse":
      return new SSEClientTransport(spec.url, {
        fetch: sending,
        limits,
        headers: spec.headers,
        auth: spec.auth ?? auth?.(server, spec),
      });
  }
}

/** The transport to a socket, which is loaded when it connects: few programs have such servers. */
function onSocket(url: string, options: SocketTransportOptions): Transport {
  return {
    authorization: options.auth,
    async connect(connecting) {
      const { socketTransport } = await import("@tenon/transports-streamable-http/socket");
      return socketTransport(url, options).connect(connecting);
    },
  };
}
