import { isRecord, isThenable } from "@tenon/base";
import { ErrorCode, isRpcError, RpcError } from "@tenon/jsonrpc2/core";
import { failureOf } from "@tenon/jsonrpc2/transport";
import type { CheckResult, ValidationIssue } from "@tenon/jsonschema/core";
import type { CallToolResult } from "@tenon/protocol";

import { isToolError } from "../../../base/error.ts";
import { lazy, type Lazy } from "../../../base/lazy.ts";
import { inOneLine } from "../../../base/values.ts";
import type { RequestContext } from "../../../request/server/context.ts";
import { isInputRequired, type InputRequired } from "../../../request/server/input-required.ts";
import type { InnerServerRequest } from "../../../request/server/request.ts";
import { inputFailureMessage } from "../../interaction/server.ts";
import { isExplainedToModel } from "../../interaction/server/errors.ts";
import { explaining } from "../../resolve-schema.ts";
import { content, downConvertResult, isFullResult, isMalformed } from "./content.ts";
import type * as malformedModule from "./malformed.lazy.ts";
import type { RegisteredTool } from "./register.ts";
import type * as structuredModule from "./structured.lazy.ts";
import { errorResult } from "./tool-error.ts";

/** Loaded before the first call of a tool with an output schema. */
export const structuring: Lazy<typeof structuredModule> = lazy(() => import("./structured.lazy.ts"));

/** Loaded for a handler that returned no valid result. */
const malformed: Lazy<typeof malformedModule> = lazy(() => import("./malformed.lazy.ts"));

/** The result of `tools/call`. */
export type ToolAnswer = CallToolResult | InputRequired;

/** The part of a request that a run of a tool uses, apart from the context of the handler. */
export type ToolScope = Pick<InnerServerRequest, "rules" | "signal">;

/** Called with an exception of a tool before it becomes a generic result. */
export type ToolErrorSink = (error: unknown) => void;

/**
 * Runs a tool: arguments in, result out, both checked. A promise only where something is
 * asynchronous.
 *
 * @param proceed - Takes the checked arguments. Default: runs the handler.
 * @source S-134, R-471
 */
export function callTool(
  registered: RegisteredTool,
  args: unknown,
  request: ToolScope,
  onError: ToolErrorSink,
  proceed?: typeof runTool,
): ToolAnswer | Promise<ToolAnswer> {
  if (args !== undefined && args !== null && !isRecord(args) && !isEmptyList(args)) {
    throw new RpcError(ErrorCode.InvalidParams, `The arguments of ${registered.tool.name} must be an object`);
  }
  // Not a default of the parameter: that costs a scope more in each call.
  const next = proceed ?? registered.around ?? runTool;
  const run = (checked: CheckResult<unknown>): ToolAnswer | Promise<ToolAnswer> =>
    checked.valid
      ? next(registered, checked.value, request, onError)
      : invalidArguments(registered, checked.errors, request);
  const checked = registered.input.check(isRecord(args) ? args : {});
  return checked instanceof Promise ? checked.then(run) : run(checked);
}

/** The empty object of PHP. */
function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/**
 * Runs the handler of a tool and checks its result.
 *
 * @param args - As the handler gets them.
 * @param context - The context of the handler. Default: the request.
 */
export function runTool(
  registered: RegisteredTool,
  args: unknown,
  request: ToolScope,
  onError: ToolErrorSink,
  context?: RequestContext,
): ToolAnswer | Promise<ToolAnswer> {
  const fail = (error: unknown): CallToolResult => failure(registered, error, request, onError);
  try {
    const returned: unknown = registered.handler(args as never, context ?? (request as InnerServerRequest));
    if (isThenable(returned)) {
      return Promise.resolve(returned)
        .then((value) => success(registered, value, request, onError))
        .catch(fail);
    }
    const result = success(registered, returned, request, onError);
    return result instanceof Promise ? result.catch(fail) : result;
  } catch (error) {
    return fail(error);
  }
}

function invalidArguments(
  { tool }: RegisteredTool,
  errors: readonly ValidationIssue[],
  { rules }: ToolScope,
): ToolAnswer | Promise<ToolAnswer> {
  return explaining.use(({ explain }) => {
    const message = `Invalid arguments for tool ${tool.name}: ${inOneLine(explain(errors))}`;
    const error = new RpcError(ErrorCode.InvalidParams, message);
    if (rules.invalidArguments === "error") {
      throw error;
    }
    return errorResult(message, error);
  });
}

function success(
  registered: RegisteredTool,
  returned: unknown,
  request: ToolScope,
  onError: ToolErrorSink,
): ToolAnswer | Promise<ToolAnswer> {
  if (isInputRequired(returned)) {
    return returned;
  }
  const full = isFullResult(returned, registered.output !== undefined);
  const next = (): ToolAnswer | Promise<ToolAnswer> =>
    checkedResult(registered, returned, full, request, onError);
  return isMalformed(returned, full, registered.output !== undefined)
    ? malformed.use(
        ({ malformedResult }) =>
          malformedResult(registered.tool.name, returned as object, full, onError) ?? next(),
      )
    : next();
}

function checkedResult(
  { tool, output }: RegisteredTool,
  value: unknown,
  full: boolean,
  request: ToolScope,
  onError: ToolErrorSink,
): ToolAnswer | Promise<ToolAnswer> {
  const returned = value as CallToolResult;
  if (output === undefined || (full && returned.isError === true)) {
    try {
      return downConvertResult(full ? returned : content(returned), request.rules);
    } catch (cause) {
      return malformed.use(({ unwritableResult }) => unwritableResult(tool.name, value, cause, onError));
    }
  }
  const checked = output.check(full ? returned.structuredContent : value === undefined ? null : value);
  const finish = (result: CheckResult<unknown>): CallToolResult | Promise<CallToolResult> =>
    structuring.use(({ structuredResult }) =>
      structuredResult(tool.name, result, full ? returned : undefined, request, onError),
    );
  return checked instanceof Promise ? checked.then(finish) : finish(checked);
}

function failure(
  { tool }: RegisteredTool,
  error: unknown,
  request: ToolScope,
  onError: ToolErrorSink,
): CallToolResult {
  if (isRpcError(error)) {
    throw error;
  }
  const unanswered = inputFailureMessage(request, error);
  if (unanswered !== undefined) {
    return errorResult(unanswered, error);
  }
  if (isToolError(error)) {
    return errorResult(error.message, error);
  }
  // A cancelled request gets no response, and its handler is expected to throw.
  if (!request.signal.aborted) {
    onError(failureOf(`The tool ${tool.name}`, error));
  }
  const why = isExplainedToModel(error) ? ` ${error.message}` : "";
  return errorResult(`The tool failed.${why}`, error);
}
