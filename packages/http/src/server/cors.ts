import type { Exchange, HeaderFields } from "./exchange.ts";
import { originPolicy } from "./origins.ts";

/** Permissions for pages of other origins. */
export interface CorsOptions {
  /**
   * The origins whose pages may read responses, or `"any"`. Default: pages of the loopback hosts,
   * while the request itself is for one of them.
   */
  readonly allowedOrigins?: readonly string[] | "any" | undefined;
  /** The methods that pages may use. */
  readonly methods: readonly string[];
  /** Response headers that pages may read. */
  readonly exposedHeaders: readonly string[];
}

/** Cross-origin resource sharing for one endpoint. @source WHATWG Fetch §3.2 */
export interface Cors {
  /** The headers to add to a response. */
  headers(exchange: Exchange): HeaderFields;
  /** The headers of the response to a preflight; `undefined` if the request is not a preflight. */
  preflight(exchange: Exchange): HeaderFields | undefined;
}

/** How long a browser may remember the response to a preflight. Browsers shorten longer times. */
const maxAgeSeconds = 7200;
const none: HeaderFields = {};

/**
 * Makes the headers that let pages of other origins use an endpoint.
 *
 * @throws `TypeError` for entries of `allowedOrigins` that no `Origin` header can equal.
 */
export function createCors(options: CorsOptions): Cors {
  const { allowedOrigins, methods, exposedHeaders } = options;
  const originAllowed = originPolicy(allowedOrigins);

  function headers(exchange: Exchange): HeaderFields {
    const origin = exchange.header("origin");
    return origin !== undefined && originAllowed(origin, exchange)
      ? {
          "access-control-allow-origin": origin,
          "access-control-expose-headers": exposedHeaders.join(", "),
          vary: "Origin",
        }
      : none;
  }

  return {
    headers,
    preflight(exchange) {
      const asked = exchange.header("access-control-request-headers");
      if (exchange.method !== "OPTIONS" || exchange.header("access-control-request-method") === undefined) {
        return undefined;
      }
      const shared = headers(exchange);
      return shared === none
        ? none
        : {
            ...shared,
            "access-control-allow-methods": methods.join(", "),
            // Mcp-Param-* headers have arbitrary names, so the requested list is allowed if all its
            // items are header names.
            ...(asked !== undefined && /^[\w\-, ]{0,4000}$/.test(asked)
              ? { "access-control-allow-headers": asked }
              : {}),
            "access-control-max-age": String(maxAgeSeconds),
            vary: "Origin, Access-Control-Request-Headers",
          };
    },
  };
}
