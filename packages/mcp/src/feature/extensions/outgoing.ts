import { isRecord } from "@tenon/base";
import { headerSource, MetaKey, type Era } from "@tenon/protocol";

import { McpError } from "../../base/error.ts";
import type { MethodDefinition, NotificationDefinition } from "../../request/extension.ts";
import { toldToClient } from "../interaction/server/errors.ts";
import { receive, send } from "./payload.ts";
import { existsIn } from "./registry.ts";

/** The remote peer of a message that is sent. */
export interface Receiver {
  readonly era: Era;
  /** Whether it has declared the extension of the message. */
  readonly active: boolean;
}

/**
 * Sends a request of an extension and validates both params and result.
 *
 * @throws `McpError` `CAPABILITY_MISSING`, `INVALID_RESULT`, `NOT_IN_REVISION`; `TypeError` for
 *   invalid params.
 */
export async function requestExtension(
  definition: MethodDefinition,
  params: unknown,
  { era, active }: Receiver,
  exchange: (params: object) => Promise<unknown>,
): Promise<unknown> {
  if (!existsIn(definition, era)) {
    const message = `${definition.method} does not exist in the ${era} era of the protocol.`;
    throw toldToClient(new McpError("NOT_IN_REVISION", message));
  }
  if (!active) {
    const message = `Cannot send ${definition.method}: the receiver has not declared the extension ${definition.extension}.`;
    throw toldToClient(new McpError("CAPABILITY_MISSING", message));
  }
  const encoded = await encodeParams(definition, params);
  const exchanged = await exchange(
    definition.header === undefined ? encoded : { ...encoded, [headerSource]: definition.header },
  );
  const result = withoutEnvelope(exchanged as Readonly<Record<string, unknown>>, definition);
  if (definition.result === undefined) {
    return result;
  }
  return receive(
    definition.result,
    result,
    (reasons) => new McpError("INVALID_RESULT", `Invalid ${definition.method} result: ${reasons}`),
  );
}

/**
 * Sends a notification of an extension. Has no effect if the receiver has not declared the
 * extension, or its era does not have the notification.
 */
export async function notifyExtension(
  definition: NotificationDefinition,
  params: unknown,
  { era, active }: Receiver,
  tell: (params: object) => Promise<void>,
): Promise<void> {
  if (active && existsIn(definition, era)) {
    await tell(await encodeParams(definition, params));
  }
}

/** The result without the properties that every result, or every cacheable result, may have. */
function withoutEnvelope(
  received: Readonly<Record<string, unknown>>,
  { cacheable }: MethodDefinition,
): Readonly<Record<string, unknown>> {
  const { resultType: _resultType, _meta, ...own } = received;
  const { [MetaKey.serverInfo]: _serverInfo, ...meta } = isRecord(_meta) ? _meta : {};
  const result = Object.keys(meta).length > 0 ? { ...own, _meta: meta } : own;
  if (cacheable !== true) {
    return result;
  }
  const { ttlMs: _ttlMs, cacheScope: _cacheScope, ...rest } = result;
  return rest;
}

/**
 * Validates params that are sent, and converts them to JSON. @throws `TypeError` for invalid ones.
 */
export function encodeParams(
  { method, params: source }: MethodDefinition | NotificationDefinition,
  params: unknown,
): Promise<object> {
  return send(source, params ?? {}, (reasons) => new TypeError(`Invalid params of ${method}: ${reasons}`));
}
