import { Protocol } from "mcp-sdk-1/shared/protocol.js";

import { extendOnce } from "./internals.ts";

/** Settings of this package for a process. */
export interface Settings {
  /**
   * Maximum number of requests in the process that wait for input of modern clients. Further input
   * requests reject. Default: `1_000`.
   */
  maxParked: number;
  /** The same for one authenticated user. Default: `100`. */
  maxParkedPerPrincipal: number;
  /**
   * How long such a request waits, in milliseconds. Then its `signal` aborts. Default: `600_000`.
   */
  parkedMs: number;
  /** Whether clients try the modern era over stdio first. Default: `true`. */
  modernStdio: boolean;
  /**
   * Whether clients try the modern era over Streamable HTTP first, if their transport has no
   * `authProvider`. Servers of earlier versions get one POST more. Default: `false`.
   */
  modernHttp: boolean;
  /**
   * How long a server may take to respond to `server/discover`, in milliseconds. Then the client
   * continues with `initialize`. Default: `3_000`.
   */
  probeTimeoutMs: number;
}

/** The settings of this process. */
export const settings: Settings = extendOnce(Protocol.prototype, "settings", (): Settings => ({
  maxParked: 1000,
  maxParkedPerPrincipal: 100,
  parkedMs: 600_000,
  modernStdio: true,
  modernHttp: false,
  probeTimeoutMs: 3000,
}));
