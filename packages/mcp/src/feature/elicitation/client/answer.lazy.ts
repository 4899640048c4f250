import { ErrorCode, RpcError } from "@tenon/jsonrpc2";
import { tryCompile } from "@tenon/jsonschema/untrusted";
import type { ElicitRequestFormParams, ElicitRequestURLParams, ElicitResult } from "@tenon/protocol";

import type { ClientRequest } from "../../../request/client/request.ts";
import type { ElicitationHandler } from "../client.ts";
import { readAction, checkForm, formProblem } from "../form.ts";

/**
 * Shows a form and checks what the user filled in.
 *
 * @throws `RpcError` `-32602` for an invalid form.
 */
export async function askByForm(
  params: Readonly<Record<string, unknown>>,
  request: ClientRequest,
  form: ElicitationHandler<ElicitRequestFormParams>,
): Promise<ElicitResult> {
  const problem = formProblem(params["requestedSchema"], tryCompile);
  if (problem !== undefined) {
    throw invalid(problem);
  }
  const asked = params as unknown as ElicitRequestFormParams;
  const answer = await form(asked, request);
  const action = readAction(answer);
  return action === "accept"
    ? { action, content: checkForm(asked.requestedSchema, answer.content, tryCompile) }
    : { action };
}

/** Has a page opened. @throws `RpcError` `-32602` without a valid URL. */
export async function askByUrl(
  params: Readonly<Record<string, unknown>>,
  request: ClientRequest,
  url: ElicitationHandler<ElicitRequestURLParams>,
): Promise<ElicitResult> {
  if (typeof params["url"] !== "string" || !URL.canParse(params["url"])) {
    throw invalid("elicitation/create in mode url needs a valid url");
  }
  return { action: readAction(await url(params as unknown as ElicitRequestURLParams, request)) };
}

function invalid(message: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, message);
}
