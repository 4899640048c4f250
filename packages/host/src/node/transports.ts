import type { Transport } from "@tenon/jsonrpc2";
import { SSEClientTransport } from "@tenon/transports-sse/client";
import { CommandTransport, type ProcessLauncher, type ShutdownStep } from "@tenon/transports-stdio";
import { StreamableClientTransport, type AuthProvider } from "@tenon/transports-streamable-http/client";

import type { TransportEvents, TransportFactory } from "../manager/options.ts";
import type { ServerSpec } from "../spec.ts";

/** Options of {@link nodeTransports}. */
export interface NodeTransportOptions {
  /** Starts programs. Default: `node:child_process`, a process group for each. @source S-216 */
  readonly launcher?: ProcessLauncher | undefined;
  /** How programs are ended. Default: standard input is closed, then `SIGTERM`, then `SIGKILL`. */
  readonly shutdown?: readonly ShutdownStep[] | undefined;
  /** Says who sends requests to remote servers that have no `auth` of their own. Default: nobody. @source S-241 */
  readonly auth?: ((server: string) => AuthProvider | undefined) | undefined;
  /** Takes what programs write to standard error, line by line. The last lines also stand in the errors of programs that failed. Default: dropped. */
  readonly onStderr?: ((server: string, line: string) => void) | undefined;
}

/** Makes transports as specs say: programs over standard input and output, Streamable HTTP, and the HTTP with SSE of 2024-11-05. @source S-215 */
export function nodeTransports(options: NodeTransportOptions = {}): TransportFactory {
  return (server, spec, events) => transportOf(server, spec, events, options);
}

function transportOf(
  server: string,
  spec: Exclude<ServerSpec, { type: "custom" }>,
  { onSessionRestored }: TransportEvents,
  { launcher, shutdown, auth, onStderr }: NodeTransportOptions,
): Transport {
  switch (spec.type) {
    case "stdio": {
      const { command, args, env, cwd, inheritEnv } = spec;
      const stderr = (line: string): void => onStderr?.(server, line);
      return new CommandTransport({ command, args, env, cwd, inheritEnv, stderr, launcher, shutdown });
    }
    case "http":
      return new StreamableClientTransport(spec.url, {
        headers: spec.headers,
        auth: spec.auth ?? auth?.(server),
        // a server that knows only the transport of 2024-11-05.
        fallback: (url, { headers, auth: who }) => new SSEClientTransport(url, { headers, auth: who }),
        onSessionRestored,
      });
    case "sse":
      return new SSEClientTransport(spec.url, { headers: spec.headers, auth: spec.auth ?? auth?.(server) });
  }
}
