import { ErrorCode, RpcError } from "@tenon/jsonrpc2";
import type { CompleteRequestParams, CompleteResult } from "@tenon/protocol";

import { isRecord } from "../../session/meta.ts";
import type { RequestContext, ServerRequest } from "../../session/request.ts";
import { isOffered } from "../capabilities.ts";
import type { PromptsFeature } from "../prompts/server.ts";
import type { ResourcesFeature } from "../resources/server.ts";
import type { FeatureSetup, ServerFeature } from "../server-feature.ts";
import type { Completer, Completion } from "./define.ts";

/** Suggests values for arguments whose definition has no completer of its own (S-176). The params are checked. */
export type CompletionHandler = (
  params: CompleteRequestParams,
  context: RequestContext,
) => ReturnType<Completer>;

/** Most values of one answer. */
const maxValues = 100;

/**
 * The server's side of `completion/complete` (R-556…R-559). Hidden, it is not there at all, since 2024-11-05 has no capability for it that could be missing.
 */
export function completionFeature(
  setup: FeatureSetup,
  prompts: PromptsFeature,
  resources: ResourcesFeature,
  onComplete: CompletionHandler | undefined,
): ServerFeature {
  const { completions } = setup.declared;
  if (completions === false) {
    return {};
  }
  const isThere = (): boolean =>
    onComplete !== undefined ||
    prompts.registry.some(hasCompleters) ||
    resources.templates.some(hasCompleters);
  return {
    capabilities: { completions: () => (isOffered(completions, isThere()) ? {} : undefined) },
    methods: {
      "completion/complete": (params, request) => {
        const checked = checkParams(params);
        const { ref, argument, context } = checked;
        const { names, completers } =
          ref.type === "ref/prompt"
            ? prompts.find(ref.name)
            : resources.findForCompletion(ref.uri, request.rules);
        if (!names.has(argument.name)) {
          throw invalid(`There is no argument ${argument.name.slice(0, 128)} to complete`);
        }
        const completer = completers.get(argument.name);
        const returned =
          completer === undefined
            ? (onComplete?.(checked, request) ?? [])
            : completer(argument.value, context?.arguments ?? {}, request);
        return returned instanceof Promise ? returned.then(resultOf) : resultOf(returned);
      },
    },
  };
}

function hasCompleters({ completers }: { readonly completers: ReadonlyMap<string, Completer> }): boolean {
  return completers.size > 0;
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

/** Every field is checked before a completer sees it (S-179). */
function checkParams(params: ServerRequest["params"]): CompleteRequestParams {
  const { ref, argument, context } = params;
  if (!isRecord(ref) || !isRef(ref)) {
    throw invalid(
      'completion/complete needs a ref, of type "ref/prompt" with a name or "ref/resource" with a uri',
    );
  }
  if (!isRecord(argument) || typeof argument["name"] !== "string" || typeof argument["value"] !== "string") {
    throw invalid("completion/complete needs an argument with a name and a value, both text");
  }
  const chosen: unknown = isRecord(context) ? context["arguments"] : context;
  if (
    chosen !== undefined &&
    !(isRecord(chosen) && Object.values(chosen).every((value) => typeof value === "string"))
  ) {
    throw invalid("The context of completion/complete has arguments, an object of text");
  }
  return params as unknown as CompleteRequestParams;
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
