import { McpError } from "../../base/error.ts";
import type { MethodDefinition, NotificationDefinition } from "../../request/extension.ts";
import { toldToClient } from "../interaction/server/errors.ts";
import { receive, send } from "./payload.ts";
import { isActive } from "./registry.ts";

type Capabilities = Parameters<typeof isActive>[1];

/**
 * Sends a request of an extension and validates both params and result.
 *
 * @throws `McpError` `CAPABILITY_MISSING`, `INVALID_RESULT`; `TypeError` for invalid params.
 */
export async function requestExtension(
  definition: MethodDefinition,
  params: unknown,
  capabilities: Capabilities,
  exchange: (params: object) => Promise<unknown>,
): Promise<unknown> {
  if (!isActive(definition.extension, capabilities)) {
    const message = `Cannot send ${definition.method}: the receiver has not declared the extension ${definition.extension}.`;
    throw toldToClient(new McpError("CAPABILITY_MISSING", message));
  }
  const { resultType: _, ...result } = (await exchange(await encodeParams(definition, params))) as {
    resultType?: unknown;
  };
  return receive(
    definition.result,
    result,
    (reasons) => new McpError("INVALID_RESULT", `Invalid ${definition.method} result: ${reasons}`),
  );
}

/**
 * Sends a notification of an extension. Has no effect if the receiver has not declared the
 * extension.
 */
export async function notifyExtension(
  definition: NotificationDefinition,
  params: unknown,
  capabilities: Capabilities,
  tell: (params: object) => Promise<void>,
): Promise<void> {
  if (isActive(definition.extension, capabilities)) {
    await tell(await encodeParams(definition, params));
  }
}

function encodeParams(
  { method, params: source }: MethodDefinition | NotificationDefinition,
  params: unknown,
): Promise<object> {
  return send(source, params ?? {}, (reasons) => new TypeError(`Invalid params of ${method}: ${reasons}`));
}
