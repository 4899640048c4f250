import type { DecodeLimits, Transport } from "@tenon/jsonrpc2";

import type { AuthProvider } from "./auth.ts";
import { HostError } from "./error.ts";
import type { Policy } from "./policy/policy.ts";

/** Options of all kinds of servers. */
export interface CommonSpec {
  /** Connected to on first use instead of by `connectAll`. Default `false`. */
  readonly lazy?: boolean | undefined;
  /** `connectAll` rejects if this server cannot be connected to. Default `false`. */
  readonly required?: boolean | undefined;
  /** Configured, and never connected to. Default `false`. */
  readonly disabled?: boolean | undefined;
  /** Permissions of the server. They override the manager's policy property by property. */
  readonly policy?: Policy | undefined;
}

/** Properties of the servers that a transport is made for. */
export interface ReceivingSpec extends CommonSpec {
  /**
   * Limits on the messages that the server sends, such as `{ maxMessageBytes: 100_000_000 }`. They
   * override the limits of `nodeTransports` one by one.
   */
  readonly limits?: DecodeLimits | undefined;
}

/** A program on this machine. */
export interface StdioSpec extends ReceivingSpec {
  readonly type: "stdio";
  /** A path, or a name to be found on `PATH`. No shell is involved. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Set in addition to what `inheritEnv` passes on. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  /**
   * `"allowed"` (default): `PATH`, home, locale and the like. `"all"`: everything, secrets
   * included. `"none"`: only `env`.
   */
  readonly inheritEnv?: "allowed" | "all" | "none" | undefined;
}

/** A server on the network. */
export interface RemoteSpec extends ReceivingSpec {
  /** `http`: Streamable HTTP. `sse`: the transport of 2024-11-05. */
  readonly type: "http" | "sse";
  /**
   * The address of the server. On Node, `http` also accepts a Unix socket or a Windows named pipe:
   * `http+unix://%2Frun%2Fuser%2F1000%2Fnotes.sock/mcp`, or in the form of VS Code,
   * `unix:///run/user/1000/notes.sock#/mcp`.
   */
  readonly url: string;
  /** Added to every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Provides credentials. Called for every request. By default the manager's `auth` is used. */
  readonly auth?: AuthProvider | undefined;
  /**
   * The URL of the proxy that leads to the server, on Node; `false`: no proxy. By default the
   * environment names proxies: `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`.
   */
  readonly proxy?: string | false | undefined;
}

/** As `isSocketUrl` of `@tenon/http/socket`, which runs on Node only. */
export function isSocketUrl(url: string): boolean {
  return /^(?:http\+unix|unix|pipe):\/\//i.test(url);
}

/** A server that is reached in a way of your own. */
export interface CustomSpec extends CommonSpec {
  readonly type: "custom";
  /** Called for every connection. */
  readonly transport: () => Transport;
  /** The limit of simultaneous handshakes that applies. Default: `"remote"`. */
  readonly pool?: "stdio" | "remote" | undefined;
}

/** The connection and the permissions of a server. */
export type ServerSpec = StdioSpec | RemoteSpec | CustomSpec;

const typeNames: readonly unknown[] = ["stdio", "http", "sse", "custom"] satisfies ServerSpec["type"][];

/**
 * @throws `HostError` `INVALID_OPTION` for a value that is not a valid {@link ServerSpec}, such as
 *   an entry of a configuration that has not been approved.
 */
export function checkSpec(server: string, spec: unknown): void {
  const type = typeof spec === "object" && spec !== null && "type" in spec ? spec.type : undefined;
  if (!typeNames.includes(type)) {
    const message =
      `The server ${JSON.stringify(server)} needs a type: "stdio" with a command, "http" or "sse" with a url, or "custom" with a transport; ` +
      `got ${JSON.stringify(type)}. Servers of a configuration file come from selectServers(config).`;
    throw new HostError("INVALID_OPTION", message, { server, phase: "config" });
  }
}

/** Which limit of simultaneous handshakes a server counts towards. @source S-247 */
export function poolOf(spec: ServerSpec): "stdio" | "remote" {
  return spec.type === "custom" ? (spec.pool ?? "remote") : spec.type === "stdio" ? "stdio" : "remote";
}
