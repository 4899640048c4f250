import { isRecord, kindOf } from "@tenon/base";
import type { Implementation } from "@tenon/protocol";

import { McpError } from "../base/error.ts";
import { onlyFields } from "../base/values.ts";
import type { RevisionRules } from "../revisions/rules.ts";

/**
 * Validates the first argument for callers without types.
 *
 * @throws `McpError` `INVALID_DEFINITION` without the name and version that are sent to the remote
 *   peer.
 */
export function checkImplementation(info: unknown): void {
  if (!isImplementation(info)) {
    const message = `The first argument must be { name: string, version: string }; got ${kindOf(info)}.`;
    throw new McpError("INVALID_DEFINITION", message);
  }
}

/** True for an object with a name and a version. */
export function isImplementation(value: unknown): value is Implementation & Record<string, unknown> {
  return isRecord(value) && typeof value["name"] === "string" && typeof value["version"] === "string";
}

/** An `Implementation` as a revision knows it. */
export function downConvertImplementation(info: Implementation, rules: RevisionRules): Implementation {
  return onlyFields(info, rules.members.implementation);
}
