import type { CallOptions } from "@tenon/jsonrpc2";

import type { InputCallOptions } from "../../request/input.ts";
import type { HookedCall } from "../../request/server/extension.ts";
import type { ServerDefinition } from "./definition.ts";

/** A request to a client, and the way to it. */
interface Call extends Omit<HookedCall, "params" | "options" | "send"> {
  readonly params: object | undefined;
  readonly options: InputCallOptions | undefined;
  readonly send: (method: string, params?: object, options?: CallOptions) => Promise<unknown>;
}

/** Sends a request to a client, by the hook of an extension if its method has one. */
export function sendHooked({ hooks }: Pick<ServerDefinition, "hooks">, call: Call): Promise<unknown> {
  const { method, params, options, send } = call;
  const hook = hooks.get(method);
  return hook === undefined
    ? send(method, params, options)
    : hook({ ...call, params: (params ?? {}) as HookedCall["params"], options: options ?? {} });
}
