import { isRecord, kindOf } from "@tenon/base";

import { McpError } from "../../base/error.ts";
import { isFinal, isInputRequiredResult } from "../../base/result.ts";
import type { InnerClientSession } from "../../request/client/inner-session.ts";
import type { ClientDefinition } from "./definition.ts";

/**
 * Checks the form of a result: an object, and in the modern era of a result type that its caller
 * can handle.
 *
 * @throws `McpError` `INVALID_RESULT`.
 * @source
 */
export function checkResult(
  method: string,
  result: unknown,
  { rules, serverCapabilities }: InnerClientSession,
  { tolerate, extensions }: ClientDefinition,
): object {
  if (!isRecord(result)) {
    const message = `Invalid ${method} result: expected an object; got ${kindOf(result)}.`;
    const isEmpty = result === null || (Array.isArray(result) && result.length === 0);
    tolerate(isEmpty ? "emptyResult" : "resultNoObject", new McpError("INVALID_RESULT", message));
    return {};
  }
  if (rules.era === "legacy" || isFinal(result)) {
    return result;
  }
  const resultType = result["resultType"];
  const asksForInput = rules.methods[method]?.inputRequired === true && isInputRequiredResult(result);
  if (!asksForInput && !extensions.allows(method, resultType, serverCapabilities)) {
    const type = (JSON.stringify(resultType) ?? "").slice(0, 40);
    const message = `Invalid ${method} result: the resultType ${type} is not supported.`;
    throw new McpError("INVALID_RESULT", message);
  }
  return result;
}
