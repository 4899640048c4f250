import { extendMember } from "@tenon/jsonrpc2/transport";
import { MetaKey, metaOf, type LoggingLevel } from "@tenon/protocol";

import type { SentOptions } from "./definition.ts";
import { declaring } from "./own-capabilities.ts";

/** Adds the envelope of a session's era to params: the `_meta` with what a request declares. */
export interface Envelope {
  /** Sets the log level that requests declare from now on, unless they declare another. */
  setLogLevel(level: LoggingLevel | undefined): void;
  /**
   * The params with their `_meta`.
   *
   * @param options - May declare other capabilities than the session.
   */
  of(
    params: object | undefined,
    progressToken?: number,
    options?: Pick<SentOptions, "undeclared" | "capabilities">,
  ): object | undefined;
}

/**
 * Creates the envelope of a session.
 *
 * @param meta - The `_meta` of every request. `undefined` in the legacy era.
 */
export function createEnvelope(meta: Readonly<Record<string, unknown>> | undefined): Envelope {
  const metaWith = meta && extendMember(meta, "progressToken");
  /** The `_meta` of every request, unless its caller sets another. */
  let defaultMeta: Readonly<Record<string, unknown>> | undefined;

  function enveloped(params: object | undefined, progressToken: number | undefined): object | undefined {
    if (meta === undefined && progressToken === undefined) {
      return params;
    }
    const own = metaOf(params);
    if (own === undefined && defaultMeta === undefined) {
      // Adding a property to the result of a spread takes ten times as long as changing one.
      const whole = { _meta: undefined as unknown, ...params };
      whole._meta = progressToken === undefined ? meta : (metaWith?.(progressToken) ?? { progressToken });
      return whole;
    }
    const token = progressToken === undefined ? undefined : { progressToken };
    return { ...params, _meta: { ...defaultMeta, ...own, ...meta, ...token } };
  }

  return {
    setLogLevel(level) {
      defaultMeta = level && { [MetaKey.logLevel]: level };
    },
    of(params, progressToken, { undeclared, capabilities } = {}) {
      const whole = enveloped(params, progressToken);
      return meta === undefined || (undeclared ?? capabilities) === undefined
        ? whole
        : { ...whole, _meta: { ...metaOf(whole), ...declaring(meta, undeclared, capabilities) } };
    },
  };
}
