import { reasonOf } from "@tenon/base";

import { HostError } from "../error.ts";

/** An error about a configuration. @param server - The entry that it is about. */
export function configError(message: string, server?: string, cause?: unknown): HostError {
  return new HostError("INVALID_CONFIG", message, { server, phase: "config", cause });
}

/** The message for a file that cannot be read: whether it exists, and why. */
export function unreadable(file: string, cause: unknown): string {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  // The rest of a message of Node repeats the call and the path.
  const [reason = ""] = reasonOf(cause).split(", ");
  return code === "ENOENT"
    ? `${file} does not exist.`
    : `${file} cannot be read: ${reason.replace(/\.$/, "")}.`;
}
