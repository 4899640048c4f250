import { isRecord } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import { preparedText, prepareMember, prepareResult } from "@tenon/jsonrpc2/transport";
import { MetaKey, metaOf, type Implementation, type RequestFacts } from "@tenon/protocol";

import { unsupportedProtocolVersion } from "../../../base/error.ts";
import { isFinal } from "../../../base/result.ts";
import type { FullCacheHints } from "../../../feature/cache/server.ts";
import { isLoggingLevel } from "../../../feature/logging/level.ts";
import { isImplementation } from "../../../request/implementation.ts";
import { type ClientDescription } from "../../../request/server/context.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";
import type { ServerDefinition } from "../definition.ts";
import { describeClient } from "./handshake.ts";

/** The protocol version, identity and capabilities in a modern request. */
export interface ModernEnvelope {
  readonly rules: RevisionRules;
  readonly client: ClientDescription;
}

/**
 * Reads the envelope of a modern request. Its declarations apply only to this request.
 *
 * @throws `RpcError` `-32602` for a missing or malformed field, `-32022` for a protocol version
 *   that is not supported.
 * @source
 */
export function readEnvelope(
  params: object | undefined,
  { version, capabilities }: RequestFacts,
  { revisions: spoken, tolerate }: Pick<ServerDefinition, "revisions" | "tolerate">,
): ModernEnvelope {
  const meta = metaOf(params) ?? {};
  if (version === undefined) {
    throw missing(MetaKey.protocolVersion, "a string");
  }
  const rules = spoken.find(version);
  if (rules?.era !== "modern") {
    throw unsupportedProtocolVersion(
      version,
      spoken.modern.map(({ revision }) => revision),
    );
  }
  if (!isRecord(capabilities)) {
    tolerate("incompleteClient", missing(MetaKey.clientCapabilities, "an object"));
  }
  const info = meta[MetaKey.clientInfo];
  if (info !== undefined && info !== null && !isImplementation(info)) {
    tolerate("incompleteClient", missing(MetaKey.clientInfo, "an object with a name and a version"));
  }
  const level = meta[MetaKey.logLevel];
  if (level !== undefined && level !== null && !isLoggingLevel(level)) {
    tolerate("incompleteClient", missing(MetaKey.logLevel, "one of the eight levels, or absent"));
  }
  return { rules, client: describeClient(info, capabilities) };
}

function missing(key: string, expected: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, `_meta of the request must contain ${key}, ${expected}`);
}

/**
 * Completes the result of a modern request: adds `resultType`, the server's identity, and caching
 * hints if the method has them and the result is final.
 *
 * @param hints - Defaults for hints that the result does not contain; `undefined` for methods
 *   without hints.
 * @source
 */
export function decorateResult(
  result: object,
  hints: FullCacheHints | undefined,
  serverInfo: Implementation,
): object {
  if (preparedText(result) === undefined) {
    return decorated(result, hints, serverInfo);
  }
  // A prepared result always gets the same decoration, because its method and server are the same.
  let prepared = decoratedResults.get(result);
  if (prepared === undefined) {
    prepared = prepareResult(decorated(result, hints, serverInfo));
    decoratedResults.set(result, prepared);
  }
  return prepared;
}

const decoratedResults = new WeakMap<object, object>();

function decorated(result: object, hints: FullCacheHints | undefined, serverInfo: Implementation): object {
  const meta = metaOf(result);
  const _meta = meta === undefined ? serverMeta(serverInfo) : { ...meta, [MetaKey.serverInfo]: serverInfo };
  // Adding a property to the result of a spread takes ten times as long as changing one, and a
  // prepared property must come first.
  const whole =
    hints === undefined || !isFinal(result)
      ? { _meta, resultType: "complete", ...result }
      : { _meta, resultType: "complete", ttlMs: hints.ttlMs, cacheScope: hints.cacheScope, ...result };
  whole._meta = _meta;
  // A property that is `undefined`, for example from a spread of options, is treated as absent,
  // because JSON omits it.
  if (whole.resultType === undefined) {
    whole.resultType = "complete";
  }
  if (hints !== undefined && "ttlMs" in whole) {
    whole.ttlMs ??= hints.ttlMs;
    whole.cacheScope ??= hints.cacheScope;
  }
  return whole;
}

const serverMetas = new WeakMap<Implementation, object>();

/** The `_meta` of a result without one of its own: the same object for all results of a server. */
function serverMeta(serverInfo: Implementation): object {
  let meta = serverMetas.get(serverInfo);
  if (meta === undefined) {
    meta = prepareMember("_meta", { [MetaKey.serverInfo]: serverInfo });
    serverMetas.set(serverInfo, meta);
  }
  return meta;
}
