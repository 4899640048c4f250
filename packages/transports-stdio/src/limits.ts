import type { LimitRules } from "@tenon/base";
import type { DecodeLimits } from "@tenon/jsonrpc2";
import { decodeLimits } from "@tenon/jsonrpc2/transport";

/** Limits of a {@link CommandTransport}. */
export interface CommandLimits extends DecodeLimits {
  /**
   * Maximum size of a message that the program writes, in bytes, as over HTTP. Default:
   * `33_554_432` (32 MiB).
   */
  readonly maxMessageBytes?: number | undefined;
  /**
   * Maximum number of written bytes that the receiver has not read. Further writes wait until the
   * receiver has read; above 16 times as many bytes they reject with `LIMIT_EXCEEDED`, except for
   * responses of up to 65,536 UTF-16 code units, 16,777,216 together. Default: `1_048_576` (1 MiB).
   */
  readonly maxBufferedBytes?: number | undefined;
}

/** Limits of a {@link StdioTransport}. */
export interface StdioLimits extends CommandLimits {
  /** Maximum size of a message of the client, in bytes. Default: `10_485_760` (10 MiB). */
  readonly maxMessageBytes?: number | undefined;
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
  maxMessageBytes: [32 * 1024 * 1024, 1],
  maxBufferedBytes: [1024 * 1024, 0],
};

/** The rules of {@link StdioLimits}. */
export const stdioLimits: LimitRules<StdioLimits> = {
  ...commandLimits,
  maxMessageBytes: [10 * 1024 * 1024, 1],
  exitAfterMs: [500, 0],
};
