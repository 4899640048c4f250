import { isRecord, isThenable } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { CompleteRequestParams, CompleteResult, Revision } from "@tenon/protocol";

import type { Registry } from "../../../base/registry.ts";
import type { InnerServerRequest } from "../../../request/server/request.ts";
import { resourceNotFound } from "../../not-found.ts";
import type { PromptsFeature } from "../../prompts/server.ts";
import { findPrompt } from "../../prompts/server/find.ts";
import type { ResourcesFeature } from "../../resources/server.ts";
import type { RegisteredTemplate } from "../../resources/server/register.ts";
import type { Completion } from "../define.ts";
import type { CompletionHandler } from "../server.ts";

/** The sources of suggestions. */
export interface CompletionSources {
  readonly prompts: PromptsFeature;
  readonly resources: ResourcesFeature;
  readonly onComplete: CompletionHandler | undefined;
}

/** Maximum number of values in one result. @source R-557 */
const maxValues = 100;

/**
 * Handles `completion/complete`.
 *
 * @throws `RpcError` `-32602` for malformed params, and for an unknown prompt, template or
 *   argument.
 */
export function complete(
  params: InnerServerRequest["params"],
  request: InnerServerRequest,
  { prompts, resources, onComplete }: CompletionSources,
): CompleteResult | Promise<CompleteResult> {
  checkParams(params);
  const { ref, argument, context } = params;
  const { names, completers } =
    ref.type === "ref/prompt"
      ? findPrompt(prompts.registry, ref.name)
      : findTemplate(resources.templates, ref.uri, request.revision);
  if (!names.has(argument.name)) {
    throw invalid(`There is no argument ${argument.name.slice(0, 128)} to complete`);
  }
  const completer = completers.get(argument.name);
  const returned =
    completer === undefined
      ? (onComplete?.(params, request) ?? [])
      : completer(argument.value, context?.arguments ?? {}, request);
  return isThenable(returned) ? Promise.resolve(returned).then(resultOf) : resultOf(returned);
}

/** @throws `RpcError` if there is no such template. @source R-516 */
function findTemplate(
  templates: Registry<RegisteredTemplate>,
  uri: string,
  revision: Revision,
): RegisteredTemplate {
  const template = templates.get(uri);
  if (template === undefined) {
    throw resourceNotFound(uri, revision);
  }
  return template;
}

function resultOf(returned: readonly string[] | Completion): CompleteResult {
  const { values, total, hasMore }: Completion = isCompletion(returned) ? returned : { values: returned };
  const isCut = values.length > maxValues;
  const all = total ?? values.length;
  return {
    completion: {
      values: values.slice(0, maxValues),
      total: all,
      hasMore: hasMore ?? (isCut || all > values.length),
    },
  };
}

function isCompletion(returned: readonly string[] | Completion): returned is Completion {
  return !Array.isArray(returned);
}

/** Every field is checked before a completer sees it. @source S-179 */
function checkParams(
  params: InnerServerRequest["params"],
): asserts params is InnerServerRequest["params"] & CompleteRequestParams {
  const { ref, argument, context } = params;
  if (!isRecord(ref) || !isRef(ref)) {
    throw invalid(
      'completion/complete needs a ref, of type "ref/prompt" with a name or "ref/resource" with a uri',
    );
  }
  if (!isRecord(argument) || typeof argument["name"] !== "string" || typeof argument["value"] !== "string") {
    throw invalid("completion/complete needs an argument with a name and a value, both text");
  }
  // null is treated as absent.
  const chosen: unknown = (isRecord(context) ? context["arguments"] : context) ?? undefined;
  if (
    chosen !== undefined &&
    !(isRecord(chosen) && Object.values(chosen).every((value) => typeof value === "string"))
  ) {
    throw invalid("context.arguments of completion/complete must be an object of strings");
  }
}

function isRef({ type, name, uri }: Record<string, unknown>): boolean {
  return (
    (type === "ref/prompt" && typeof name === "string") ||
    (type === "ref/resource" && typeof uri === "string")
  );
}

function invalid(message: string): RpcError {
  return new RpcError(ErrorCode.InvalidParams, message);
}
