import type { CompleteRequestParams } from "@tenon/protocol";

import { lazy, type Lazy } from "../../base/lazy.ts";
import { isOffered } from "../../request/capabilities.ts";
import type { RequestContext } from "../../request/server/context.ts";
import type { FeatureSetup, ServerFeature } from "../../request/server/feature.ts";
import type { PromptsFeature } from "../prompts/server.ts";
import type { ResourcesFeature } from "../resources/server.ts";
import type { Completer } from "./define.ts";
import type * as completeModule from "./server/complete.lazy.ts";

const completing: Lazy<typeof completeModule> = lazy(() => import("./server/complete.lazy.ts"));

/**
 * Suggests values for arguments whose definition has no completer of its own. The params are
 * checked.
 *
 * @source S-176
 */
export type CompletionHandler = (
  params: CompleteRequestParams,
  context: RequestContext,
) => ReturnType<Completer>;

/**
 * The server's side of `completion/complete`. If completion is disabled, the method is not
 * registered: 2024-11-05 has no capability that could be left out instead.
 *
 * @source R-556…R-559
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
      "completion/complete": (params, request) =>
        completing.use(({ complete }) => complete(params, request, { prompts, resources, onComplete })),
    },
    load: () => (isThere() ? completing.load() : undefined),
  };
}

function hasCompleters({ completers }: { readonly completers: ReadonlyMap<string, Completer> }): boolean {
  return completers.size > 0;
}
