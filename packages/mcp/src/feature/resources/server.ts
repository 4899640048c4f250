import type { Resource, ServerCapabilities } from "@tenon/protocol";

import { lazy, type Lazy } from "../../base/lazy.ts";
import { Registry } from "../../base/registry.ts";
import { onlyFields } from "../../base/values.ts";
import { isOffered, listCapability, type DeclaredCapabilities } from "../../request/capabilities.ts";
import type { FeatureSetup, ServerFeature } from "../../request/server/feature.ts";
import type { InnerServerRequest } from "../../request/server/request.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import { downConvertAnnotations } from "../content-blocks.ts";
import { Listing } from "../listing/server.ts";
import type { ResourceDefinition, ResourceTemplateDefinition } from "./define.ts";
import type * as readModule from "./server/read.lazy.ts";
import {
  registerResource,
  registerTemplate,
  type RegisteredReader,
  type RegisteredResource,
  type RegisteredTemplate,
} from "./server/register.ts";
import type * as templateListsModule from "./server/template-lists.lazy.ts";

const reading: Lazy<typeof readModule> = lazy(() => import("./server/read.lazy.ts"));
const templateLists: Lazy<typeof templateListsModule> = lazy(() => import("./server/template-lists.lazy.ts"));

/**
 * The server's side of resources and resource templates: their lists and `resources/read`.
 *
 * @source R-510…R-514
 */
export class ResourcesFeature implements ServerFeature {
  readonly resources: Registry<RegisteredResource>;
  readonly templates: Registry<RegisteredTemplate>;
  readonly methods: NonNullable<ServerFeature["methods"]>;
  readonly capabilities: NonNullable<ServerFeature["capabilities"]>;
  /** Announces that the list of resources has changed. */
  readonly changed: () => void;
  /** True once a template that lists its resources was added. */
  #hasLists = false;

  constructor(setup: FeatureSetup) {
    const { resources: declared } = setup.declared;
    // There is one notification for both lists (R-525, S-173).
    const changed = (): void => setup.listChanged("notifications/resources/list_changed");
    this.resources = new Registry("resource", changed);
    this.templates = new Registry("resource template", changed);
    this.changed = changed;
    const { pageSize } = setup;
    const convert = (resource: Resource, rules: RevisionRules): Resource =>
      onlyFields(downConvertAnnotations(resource, rules), rules.members.resource);
    const resources = new Listing(this.resources, pageSize, ({ resource }, rules) =>
      convert(resource, rules),
    );
    const listed = {
      resources: this.resources,
      templates: this.templates,
      pageSize,
      page: (cursor: unknown, request: InnerServerRequest) => resources.page("resources", cursor, request),
      convert: (resource: Resource, { rules }: InnerServerRequest) => convert(resource, rules),
    };
    const templates = new Listing(this.templates, setup.pageSize, ({ template }, rules) =>
      onlyFields(downConvertAnnotations(template, rules), rules.members.resourceTemplate),
    );
    this.capabilities = {
      resources: () => {
        const isThere = this.resources.size + this.templates.size > 0;
        return isOffered(declared, isThere) ? resourcesCapability(declared) : undefined;
      },
    };
    this.methods = {
      "resources/list": ({ cursor }, request) =>
        this.#hasLists
          ? templateLists.use(({ listWithTemplates }) => listWithTemplates(listed, cursor, request))
          : resources.page("resources", cursor, request),
      "resources/templates/list": ({ cursor }, request) =>
        templates.page("resourceTemplates", cursor, request),
      "resources/read": ({ uri }, request) => reading.use(({ readUri }) => readUri(uri, this, request)),
    };
  }

  load(): Promise<unknown> | undefined {
    return this.capabilities["resources"]?.() === undefined ? undefined : reading.load();
  }

  addResource(definition: ResourceDefinition, handler: RegisteredReader["handler"]): void {
    const registered = registerResource(definition, handler);
    this.resources.add(registered.resource.uri, registered);
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
