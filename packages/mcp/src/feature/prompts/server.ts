import type { Prompt } from "@tenon/protocol";

import { lazy, type Lazy } from "../../base/lazy.ts";
import { Registry } from "../../base/registry.ts";
import { onlyFields } from "../../base/values.ts";
import { isOffered, listCapability } from "../../request/capabilities.ts";
import type { FeatureSetup, ServerFeature } from "../../request/server/feature.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import { Listing } from "../listing/server.ts";
import { schemaLoader } from "../resolve-schema.ts";
import type { PromptDefinition, PromptHandler } from "./define.ts";
import type * as getModule from "./server/get.lazy.ts";
import { registerPrompt, type RegisteredPrompt } from "./server/register.ts";

const getting: Lazy<typeof getModule> = lazy(() => import("./server/get.lazy.ts"));

/** The server's side of prompts: `prompts/list` and `prompts/get`. @source R-550 */
export class PromptsFeature implements ServerFeature {
  readonly registry: Registry<RegisteredPrompt>;
  readonly methods: NonNullable<ServerFeature["methods"]>;
  readonly capabilities: NonNullable<ServerFeature["capabilities"]>;
  readonly #loadSchemas: () => Promise<unknown> | undefined;

  constructor(setup: FeatureSetup) {
    const { prompts } = setup.declared;
    this.registry = new Registry("prompt", () => setup.listChanged("notifications/prompts/list_changed"));
    this.#loadSchemas = schemaLoader(this.registry, ({ schema }) => [schema]);
    const listing = new Listing(this.registry, setup.pageSize, ({ prompt }, rules) =>
      downConvertPrompt(prompt, rules),
    );
    this.capabilities = {
      prompts: () => (isOffered(prompts, this.registry.size > 0) ? listCapability(prompts) : undefined),
    };
    this.methods = {
      "prompts/list": ({ cursor }, request) => listing.page("prompts", cursor, request),
      "prompts/get": (params, request) =>
        getting.use(({ getPrompt }) => getPrompt(this.registry, params, request)),
    };
  }

  load(): Promise<unknown> | undefined {
    const code = this.registry.size > 0 ? getting.load() : undefined;
    const schemas = this.#loadSchemas();
    return (code ?? schemas) && Promise.all([code, schemas]);
  }

  add<A>(definition: PromptDefinition<A>, handler: PromptHandler<A>): void {
    const registered = registerPrompt(definition, handler);
    this.registry.add(registered.prompt.name, registered);
  }
}

/** Returns the prompt without the properties that a protocol version does not have. */
export function downConvertPrompt(prompt: Prompt, rules: RevisionRules): Prompt {
  const args = prompt.arguments?.map((argument) => onlyFields(argument, rules.members.promptArgument));
  return onlyFields(args === undefined ? prompt : { ...prompt, arguments: args }, rules.members.prompt);
}
