import { ErrorCode, RpcError } from "@tenon/jsonrpc2";

import type { Registry } from "../../../base/registry.ts";
import type { RegisteredPrompt } from "./register.ts";

/**
 * The prompt of a name that a client gave.
 *
 * @throws `RpcError` `-32602` if there is none.
 * @source R-554
 */
export function findPrompt(prompts: Registry<RegisteredPrompt>, name: unknown): RegisteredPrompt {
  const registered = typeof name === "string" ? prompts.get(name) : undefined;
  if (registered === undefined) {
    const message =
      typeof name === "string"
        ? `Unknown prompt: ${name.slice(0, 128)}`
        : 'The "name" of a prompt must be a string';
    throw new RpcError(ErrorCode.InvalidParams, message);
  }
  return registered;
}
