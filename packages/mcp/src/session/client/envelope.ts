import { extendMember, prepareMember } from "@tenon/jsonrpc2/transport";
import { MetaKey, metaOf, type LoggingLevel } from "@tenon/protocol";

import type { InputCapabilities } from "../../request/client/options.ts";
import type { SentOptions } from "./definition.ts";
import { declaring } from "./own-capabilities.ts";

/** Adds to params the `_meta` with the declarations of a request, by the era of the session. */
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

/** The `_meta` of requests, and a copy of it with a progress token. */
interface Meta {
  readonly meta: Readonly<Record<string, unknown>> | undefined;
  readonly metaWith: ((progressToken: number) => object) | undefined;
}

/**
 * Creates the envelope of a session.
 *
 * @param meta - The `_meta` of every request. `undefined` in the legacy era.
 */
export function createEnvelope(meta: Readonly<Record<string, unknown>> | undefined): Envelope {
  const usual: Meta = { meta, metaWith: meta && extendMember(meta, "progressToken") };
  /** The `_meta` of every request, unless its caller sets another. */
  let defaultMeta: Readonly<Record<string, unknown>> | undefined;
  /** A proxy sends many requests with the same capabilities of a caller, which it has frozen. */
  const prepared = new WeakMap<InputCapabilities, Meta>();

  function declaredMeta(undeclared: string | undefined, capabilities: InputCapabilities | undefined): Meta {
    if (meta === undefined || (undeclared ?? capabilities) === undefined) {
      return usual;
    }
    if (undeclared !== undefined || capabilities === undefined || !Object.isFrozen(capabilities)) {
      return { meta: declaring(meta, undeclared, capabilities), metaWith: undefined };
    }
    let declared = prepared.get(capabilities);
    if (declared === undefined) {
      const own = prepareMember("_meta", declaring(meta, undefined, capabilities));
      declared = { meta: own, metaWith: extendMember(own, "progressToken") };
      prepared.set(capabilities, declared);
    }
    return declared;
  }

  return {
    setLogLevel(level) {
      defaultMeta = level && { [MetaKey.logLevel]: level };
    },
    of(params, progressToken, { undeclared, capabilities } = {}) {
      const { meta: declared, metaWith } = declaredMeta(undeclared, capabilities);
      if (declared === undefined && progressToken === undefined) {
        return params;
      }
      const own = metaOf(params);
      if (own === undefined && defaultMeta === undefined) {
        // Adding a property to the result of a spread takes ten times as long as changing one.
        const whole = { _meta: undefined as unknown, ...params };
        whole._meta =
          progressToken === undefined
            ? declared
            : (metaWith?.(progressToken) ?? { progressToken, ...declared });
        return whole;
      }
      const token = progressToken === undefined ? undefined : { progressToken };
      return { ...params, _meta: { ...defaultMeta, ...own, ...declared, ...token } };
    },
  };
}
