import { isMcpError, McpError } from "../../base/error.ts";
import {
  type ElicitOutcome,
  type FormParams,
  type UrlParams,
  type FormSource,
} from "../../request/elicit.ts";
import type { Input, InputClient } from "../../request/input.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import { explainedToModel } from "../interaction/server/errors.ts";
import { requireCapability } from "../interaction/server/require.ts";
import { readAction, checkForm, downConvertForm, formProblem } from "./form.ts";
import { readForm, type Form } from "./server/form-source.ts";
import { compileOwnForm, formatProblem } from "./server/own-form.ts";
import { refuseSecrets } from "./server/secrets.ts";
import { urlParamsFor } from "./server/url.ts";

const method = "elicitation/create";

/** The input request for a form or a web page. @throws `McpError`, see `RequestContext.elicit`. */
export function elicitationInput(
  params: FormParams<FormSource> | UrlParams,
  { rules, client }: InputClient,
): Input<ElicitOutcome<unknown>> {
  requireCapability(client.capabilities, { method, params, rules });
  return params.mode === "url" ? urlInput(params, rules) : formInput(params, rules);
}

function formInput(
  { message, requestedSchema: source }: FormParams<FormSource>,
  rules: RevisionRules,
): Input<ElicitOutcome<unknown>> {
  const { schema: requestedSchema, finish } = checkedForm(source);
  const hasModes = rules.clientCapabilities["elicitation"]?.has("form") === true;
  return {
    method,
    params: {
      ...(hasModes ? { mode: "form" } : {}),
      message,
      requestedSchema: downConvertForm(requestedSchema, rules),
    },
    read(answer) {
      const action = readAction(answer);
      if (action !== "accept") {
        return { action };
      }
      const { content } = answer as { readonly content?: unknown };
      const finished = finish(checkForm(requestedSchema, content, compileOwnForm));
      return finished instanceof Promise
        ? finished.then((value: unknown) => ({ action, content: value }))
        : { action, content: finished };
    },
  };
}

/** @throws `McpError` `INVALID_DEFINITION`, which the model reads: it is about the form alone. */
function checkedForm(source: unknown): Form {
  try {
    const form = readForm(source);
    const problem = formProblem(form.schema, compileOwnForm) ?? formatProblem(form.schema);
    if (problem !== undefined) {
      throw new McpError("INVALID_DEFINITION", problem);
    }
    refuseSecrets(form.schema);
    return form;
  } catch (error) {
    throw isMcpError(error) ? explainedToModel(error) : error;
  }
}

function urlInput(params: UrlParams, rules: RevisionRules): Input<ElicitOutcome<undefined>> {
  return {
    method,
    params: urlParamsFor(params, rules),
    read(answer) {
      const action = readAction(answer);
      return action === "accept" ? { action, content: undefined } : { action };
    },
  };
}
