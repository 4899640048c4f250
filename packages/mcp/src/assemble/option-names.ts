import { unknownOption, type OptionNames } from "@tenon/base";

import { McpError } from "../base/error.ts";
import type { ServerCacheHints } from "../feature/cache/define.ts";
import type { ElicitationHandlers } from "../feature/elicitation/client.ts";
import type { InteractionOptions } from "../feature/interaction/server/options.ts";
import type { LoggingOptions } from "../feature/logging/server.ts";
import type { SamplingOptions } from "../feature/sampling/client.ts";
import type { ClientOptions } from "./client/options.ts";
import type { ServerOptions } from "./server/options.ts";

export const serverOptions: OptionNames<ServerOptions> = {
  instructions: true,
  revisions: true,
  capabilities: true,
  extensions: "object",
  cache: true,
  onSubscribe: true,
  onUnsubscribe: true,
  onChange: true,
  onComplete: true,
  logging: true,
  onRootsListChanged: true,
  limits: true,
  interaction: true,
  keepAlive: true,
  strictness: true,
  onError: true,
  clock: true,
};

export const clientOptions: OptionNames<ClientOptions> = {
  onLog: true,
  logLevel: true,
  cache: true,
  authorizationContext: true,
  revisions: true,
  roots: true,
  sampling: true,
  elicitation: true,
  // An object, or a function of the era.
  capabilities: true,
  extensions: "object",
  limits: true,
  keepAlive: true,
  strictness: true,
  onError: true,
  clock: true,
  onToolsChanged: true,
  onPromptsChanged: true,
  onResourcesChanged: true,
  onResourceUpdated: true,
};

/** Options of `interaction` of a server. */
export const interactionOptions: OptionNames<InteractionOptions> = {
  stateKeys: true,
  principal: true,
  allowUnsealedState: true,
};

/** Options of `logging` of a server. */
export const loggingOptions: OptionNames<LoggingOptions> = { name: true, level: true };

/** Options of `cache` of a server. */
export const cacheHints: OptionNames<ServerCacheHints> = { ttlMs: true, cacheScope: true, methods: true };

/** Options of `sampling` of a client. */
export const samplingOptions: OptionNames<SamplingOptions> = {
  createMessage: "function",
  tools: true,
  context: true,
};

/** The handlers of `elicitation` of a client. */
export const elicitationHandlers: OptionNames<ElicitationHandlers> = {
  form: "function",
  url: "function",
  onComplete: true,
};

/**
 * Checks that all options exist.
 *
 * @param limits - The limits that belong in `limits` of the options.
 * @throws `McpError` `INVALID_DEFINITION` for an option that does not exist, such as a misspelt
 *   one.
 */
export function checkOptionNames(
  subject: string,
  options: object | undefined,
  names: object,
  limits?: object,
): void {
  const problem = unknownOption(subject, options, names, limits);
  if (problem !== undefined) {
    throw new McpError("INVALID_DEFINITION", problem);
  }
}
