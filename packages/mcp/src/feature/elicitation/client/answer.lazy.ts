import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import { tryCompile } from "@tenon/jsonschema/untrusted";
import type { ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult } from "@tenon/protocol";

import type { ClientRequest } from "../../../request/client/request.ts";
import type { ElicitationHandler } from "../client.ts";
import { readAction, checkForm, formProblem } from "../form.ts";

type Received = Readonly<Record<string, unknown>>;

/**
 * Checks the form of a server, calls the handler that shows it, and checks the content that the
 * handler returns.
 *
 * @throws `RpcError` `-32602` for a form that is not valid.
 */
export async function askByForm(
  params: Received,
  request: ClientRequest,
  form: ElicitationHandler<ElicitRequestFormParams>,
): Promise<ElicitResult> {
  requireForm(params);
  const answer = await form(params, request);
  const action = readAction(answer);
  return action === "accept"
    ? { action, content: checkForm(params.requestedSchema, answer.content, tryCompile) }
    : { action };
}

/**
 * Calls the handler that opens the page of an elicitation request.
 *
 * @throws `RpcError` `-32602` for a URL that is not valid.
 */
export async function askByUrl(
  params: Received,
  request: ClientRequest,
  url: ElicitationHandler<ElicitRequestURLParams>,
): Promise<ElicitResult> {
  requireUrl(params);
  return { action: readAction(await url(params, request)) };
}

function requireForm(params: Received): asserts params is Received & ElicitRequestFormParams {
  const problem = formProblem(params["requestedSchema"], tryCompile);
  if (problem !== undefined) {
    throw invalid(problem);
  }
}

function requireUrl(params: Received): asserts params is Received & ElicitRequestURLParams {
  if (typeof params["url"] !== "string" || !URL.canParse(params["url"])) {
    throw invalid("elicitation/create in mode url needs a valid url");
  }
}

function invalid(message: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, message);
}
