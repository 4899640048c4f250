import { ToolError } from "../../../base/error.ts";
import type { ElicitOutcome } from "../../../request/elicit.ts";

/**
 * Returns the content of a form that the user accepted.
 *
 * @throws `ToolError` if the user declined or cancelled. The model can read its message.
 */
export function accepted<T>(outcome: ElicitOutcome<T>): T {
  if (outcome.action !== "accept") {
    throw new ToolError(
      outcome.action === "decline" ? "The user declined the request." : "The user cancelled the request.",
    );
  }
  return outcome.content;
}
