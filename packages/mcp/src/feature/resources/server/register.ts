import type { Resource, ResourceTemplate } from "@tenon/protocol";
import { canonicalUri, outline, type Outline } from "@tenon/uri-template/core";

import { McpError } from "../../../base/error.ts";
import { defined } from "../../../base/values.ts";
import type { RequestContext } from "../../../request/server/context.ts";
import type { CacheHints } from "../../cache/define.ts";
import { checkHints } from "../../cache/server.ts";
import { registerCompleters, type RegisteredCompleters } from "../../completion/server/register.ts";
import { requireDefinition, requireHandler } from "../../misplaced.ts";
import type { ResourceDefinition, ResourceLister, ResourceTemplateDefinition } from "../define.ts";

/** The handler of a resource, and its defaults. */
export interface RegisteredReader {
  readonly mimeType: string | undefined;
  readonly cache: CacheHints | undefined;
  readonly handler: (request: never, context: RequestContext) => unknown;
}

/** A resource as a server keeps it. */
export interface RegisteredResource extends RegisteredReader {
  readonly resource: Resource;
  /** The canonical form of its URI. */
  readonly canonical: string;
}

/** A template as a server keeps it. */
export interface RegisteredTemplate extends RegisteredReader {
  readonly template: ResourceTemplate;
  readonly outline: Outline;
  /** The variables there are. */
  readonly names: ReadonlySet<string>;
  readonly completers: RegisteredCompleters;
  readonly list: ResourceLister | undefined;
}

const uriPattern = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]+$/;

/** Checks a definition. @throws `McpError` `INVALID_DEFINITION` that describes the problem. */
export function registerResource(
  definition: ResourceDefinition,
  handler: RegisteredReader["handler"],
): RegisteredResource {
  requireDefinition("addResource", "uri", definition);
  const { cache, ...resource } = definition;
  if (typeof resource.uri !== "string" || !uriPattern.test(resource.uri)) {
    throw new McpError(
      "INVALID_DEFINITION",
      `A resource needs an absolute URI, such as "notes://1"; got ${JSON.stringify(resource.uri)}.`,
    );
  }
  checkDescribed(definition, handler, `resource ${resource.uri}`);
  const canonical = parsed(`resource ${resource.uri}`, () => canonicalUri(resource.uri));
  return { resource: defined<Resource>(resource), canonical, mimeType: resource.mimeType, cache, handler };
}

/** Checks a definition. @throws `McpError` `INVALID_DEFINITION` that describes the problem. */
export function registerTemplate<T extends string>(
  definition: ResourceTemplateDefinition<T>,
  handler: RegisteredReader["handler"],
): RegisteredTemplate {
  requireDefinition("addResourceTemplate", "uriTemplate", definition);
  const { cache, complete, list, ...template } = definition;
  const where = `resource template ${JSON.stringify(template.uriTemplate)}`;
  checkDescribed(definition, handler, where);
  if (list !== undefined && typeof list !== "function") {
    throw new McpError("INVALID_DEFINITION", `The list of ${where} must be a function; got ${typeof list}.`);
  }
  const outlined = parsed(where, () => outline<string>(template.uriTemplate));
  return {
    template: defined<ResourceTemplate>(template),
    outline: outlined,
    names: new Set(outlined.variables),
    completers: registerCompleters(complete ?? {}, outlined.variables, where),
    list,
    mimeType: template.mimeType,
    cache,
    handler,
  };
}

function parsed<T>(where: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new McpError("INVALID_DEFINITION", `The ${where} is not valid: ${detail}`, { cause });
  }
}

function checkDescribed(
  definition: Pick<ResourceDefinition, "name" | "cache">,
  handler: unknown,
  where: string,
): void {
  const { name, cache } = definition;
  if (typeof name !== "string" || name === "") {
    throw new McpError("INVALID_DEFINITION", `The ${where} needs a name.`);
  }
  requireHandler(where, definition, handler);
  checkHints(cache, where);
}
