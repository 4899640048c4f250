import type { Resource } from "@tenon/protocol";

import type { Registry } from "../../../base/registry.ts";
import { onlyFields } from "../../../base/values.ts";
import type { InnerServerRequest } from "../../../request/server/request.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";
import { downConvertAnnotations } from "../../content-blocks.ts";
import { Listing } from "../../listing/server.ts";
import type { RegisteredResource, RegisteredTemplate } from "./register.ts";
import { listWithTemplates } from "./template-lists.ts";

/** The lists of a server's resources and templates. */
export interface ResourceLists {
  /**
   * Handles `resources/list`.
   *
   * @param hasLists - Whether a template may list resources.
   * @throws `RpcError` `-32602` for an invalid cursor.
   */
  listResources(cursor: unknown, request: InnerServerRequest, hasLists: boolean): unknown;
  /** Handles `resources/templates/list`. @throws As `listResources`. */
  listTemplates(cursor: unknown, request: InnerServerRequest): unknown;
}

/** Makes the lists of two registries. */
export function resourceLists(
  resources: Registry<RegisteredResource>,
  templates: Registry<RegisteredTemplate>,
  pageSize: number,
): ResourceLists {
  const convert = (resource: Resource, rules: RevisionRules): Resource =>
    onlyFields(downConvertAnnotations(resource, rules), rules.members.resource);
  const own = new Listing(resources, pageSize, ({ resource }, rules) => convert(resource, rules));
  const ownTemplates = new Listing(templates, pageSize, ({ template }, rules) =>
    onlyFields(downConvertAnnotations(template, rules), rules.members.resourceTemplate),
  );
  const listed = {
    resources,
    templates,
    pageSize,
    page: (cursor: unknown, request: InnerServerRequest) => own.page("resources", cursor, request),
    convert: (resource: Resource, { rules }: InnerServerRequest) => convert(resource, rules),
  };
  return {
    listResources: (cursor, request, hasLists) =>
      hasLists ? listWithTemplates(listed, cursor, request) : listed.page(cursor, request),
    listTemplates: (cursor, request) => ownTemplates.page("resourceTemplates", cursor, request),
  };
}
