import { isRecord } from "@tenon/base";

/** The `_meta` keys that the protocol reserves. @source spec-wide, R-137… */
export const MetaKey = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  logLevel: "io.modelcontextprotocol/logLevel",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
} as const;

/** Returns `_meta` of params or a result, or `undefined` if it is not an object. */
export function metaOf(container: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof container !== "object" || container === null || !("_meta" in container)) {
    return undefined;
  }
  const meta = container._meta;
  return isRecord(meta) ? meta : undefined;
}

/**
 * Returns the protocol version that a request names in its `_meta`, as every modern request does.
 * It is not validated.
 */
export function modernVersion(params: object | undefined): unknown {
  return params === undefined ? undefined : metaOf(params)?.[MetaKey.protocolVersion];
}
