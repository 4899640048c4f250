import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";

import type { Registry } from "../../../base/registry.ts";
import { unknownPrompt } from "../../not-found.ts";
import type { RegisteredPrompt } from "./register.ts";

/**
 * The prompt of a name that a client gave.
 *
 * @throws `RpcError` `-32602` if there is none.
 * @source R-554
 */
export function findPrompt(prompts: Registry<RegisteredPrompt>, name: unknown): RegisteredPrompt {
  if (typeof name !== "string") {
    throw new RpcError(ErrorCode.InvalidParams, 'The "name" of a prompt must be a string');
  }
  const registered = prompts.get(name);
  if (registered === undefined) {
    throw unknownPrompt(name);
  }
  return registered;
}
