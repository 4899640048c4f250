import type { Clock } from "@tenon/base";
import type { GetPromptResult } from "@tenon/protocol";

import type { ManagedServer } from "../server/managed-server.ts";
import { performRead } from "../server/perform-read.ts";
import { traced } from "../server/wire.ts";
import type { HostRequestOptions } from "./call-tool.ts";

/** One request for a prompt. */
export interface PromptRequest extends HostRequestOptions {
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
}

/** Gets a prompt of a server, filled in. */
export function getPrompt(
  server: ManagedServer,
  clock: Clock,
  { name, arguments: args, signal }: PromptRequest,
): Promise<GetPromptResult> {
  return performRead(
    server,
    clock,
    (session, trace, options) =>
      session.request("prompts/get", traced({ name, arguments: args }, trace), options),
    signal,
  );
}
