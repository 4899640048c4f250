import type { LimitRules } from "@tenon/base";
import type { DecodeLimits } from "@tenon/jsonrpc2";
import { decodeLimits } from "@tenon/jsonrpc2/transport";

/** Limits of a {@link CommandTransport}. */
export interface CommandLimits extends DecodeLimits {
  /**
   * Maximum number of written bytes that the receiver has not read. Further writes wait until the
   * receiver has read; above 16 times as many bytes they reject with `LIMIT_EXCEEDED`. Default:
   * `1_048_576` (1 MiB).
   */
  readonly maxBufferedBytes?: number | undefined;
}

/** Limits of a {@link StdioTransport}. */
export interface StdioLimits extends CommandLimits {
  /**
   * How long the process may continue after a connection whose client is gone has been closed, in
   * milliseconds. Then the process exits, so that a forgotten timer or socket does not keep the
   * server. With `Infinity`, or if `close` is called while the client is still connected, the
   * process continues. If `stdin` is not the standard input of the process, the default is
   * `Infinity`. Default: `500`.
   *
   * @source R-261
   */
  readonly exitAfterMs?: number | undefined;
}

/** The rules of {@link CommandLimits}. */
export const commandLimits: LimitRules<CommandLimits> = {
  ...decodeLimits,
  maxBufferedBytes: [1024 * 1024, 0],
};

/** The rules of {@link StdioLimits}. */
export const stdioLimits: LimitRules<StdioLimits> = { ...commandLimits, exitAfterMs: [500, 0] };
