import type { ServerCapabilities } from "@tenon/protocol";

import { lazy, type Lazy } from "../../base/lazy.ts";
import { Registry } from "../../base/registry.ts";
import { uriKey } from "../../base/uri-key.ts";
import { isOffered, listCapability, type DeclaredCapabilities } from "../../request/capabilities.ts";
import type { FeatureSetup, ServerFeature } from "../../request/server/feature.ts";
import type { ResourceDefinition, ResourceTemplateDefinition } from "./define.ts";
import type * as answerModule from "./server/answer.lazy.ts";
import type { ResourceLists } from "./server/lists.ts";
import {
  registerResource,
  registerTemplate,
  type RegisteredReader,
  type RegisteredResource,
  type RegisteredTemplate,
} from "./server/register.ts";

const answering: Lazy<typeof answerModule> = lazy(() => import("./server/answer.lazy.ts"));

/**
 * The server's side of resources and resource templates: their lists and `resources/read`.
 *
 * @source R-510…R-514
 */
export class ResourcesFeature implements ServerFeature {
  /** By canonical URI. */
  readonly resources: Registry<RegisteredResource>;
  readonly templates: Registry<RegisteredTemplate>;
  readonly methods: NonNullable<ServerFeature["methods"]>;
  readonly capabilities: NonNullable<ServerFeature["capabilities"]>;
  /** Whether the server declares resources. */
  readonly isOffered: () => boolean;
  /** Announces that the list of resources has changed. */
  readonly changed: () => void;
  /** True once a template that lists its resources was added. */
  #hasLists = false;
  #lists: ResourceLists | undefined;

  constructor(setup: FeatureSetup) {
    const { resources: declared } = setup.declared;
    // There is one notification for both lists (R-525, S-173).
    const changed = (): void => setup.listChanged("notifications/resources/list_changed");
    this.resources = new Registry("resource", changed);
    this.templates = new Registry("resource template", changed);
    this.changed = changed;
    this.isOffered = () => isOffered(declared, this.resources.size + this.templates.size > 0);
    this.capabilities = {
      resources: () => (this.isOffered() ? resourcesCapability(declared) : undefined),
    };
    const lists = ({ resourceLists }: typeof answerModule): ResourceLists =>
      (this.#lists ??= resourceLists(this.resources, this.templates, setup.pageSize));
    this.methods = {
      "resources/list": ({ cursor }, request) =>
        answering.use((module) => lists(module).listResources(cursor, request, this.#hasLists)),
      "resources/templates/list": ({ cursor }, request) =>
        answering.use((module) => lists(module).listTemplates(cursor, request)),
      "resources/read": ({ uri }, request) => answering.use(({ readUri }) => readUri(uri, this, request)),
    };
  }

  load(): Promise<unknown> | undefined {
    return this.isOffered() ? answering.load() : undefined;
  }

  addResource(definition: ResourceDefinition, handler: RegisteredReader["handler"]): void {
    const registered = registerResource(definition, handler);
    this.resources.add(registered.canonical, registered);
  }

  /** Removes resources, in whatever spelling. Returns whether any was removed. */
  removeResources(uris: readonly string[]): boolean {
    return this.resources.remove(uris.map(uriKey));
  }

  addTemplate<T extends string>(
    definition: ResourceTemplateDefinition<T>,
    handler: RegisteredReader["handler"],
  ): void {
    const registered = registerTemplate(definition, handler);
    this.templates.add(registered.template.uriTemplate, registered);
    this.#hasLists ||= registered.list !== undefined;
  }
}

function resourcesCapability(
  declared: DeclaredCapabilities["resources"],
): NonNullable<ServerCapabilities["resources"]> {
  const watchable = !(typeof declared === "object" && declared.subscribe === false);
  return { ...(watchable ? { subscribe: true } : {}), ...listCapability(declared) };
}
