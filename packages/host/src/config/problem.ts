import { HostError } from "../error.ts";

/** An error about a configuration. @param server - The entry that it is about. */
export function configError(message: string, server?: string, cause?: unknown): HostError {
  return new HostError("INVALID_CONFIG", message, { server, phase: "config", cause });
}
