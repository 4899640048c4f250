import { isRecord } from "@tenon/base";
import type { Resource } from "@tenon/protocol";

import { decodeCursor, encodeCursor } from "../../../base/pagination.ts";
import type { Registry } from "../../../base/registry.ts";
import { uriKey } from "../../../base/uri-key.ts";
import type { ServerRequest } from "../../../request/server/request.ts";
import type { RegisteredResource, RegisteredTemplate } from "./register.ts";

/** Distinguishes cursors into the lists of templates from cursors into the server's own list. */
const version = "2";

/** A page of `resources/list`. */
interface ResourcePage {
  readonly resources: readonly Resource[];
  readonly nextCursor?: string;
}

/** The sources of {@link listWithTemplates}. */
interface Listed {
  readonly resources: Registry<RegisteredResource>;
  readonly templates: Registry<RegisteredTemplate>;
  readonly pageSize: number;
  /** A page of the resources that were added one by one. */
  page(cursor: unknown, request: ServerRequest): ResourcePage;
  /** A resource as the revision of the request knows it. */
  convert(resource: Resource, request: ServerRequest): Resource;
}

/**
 * Handles `resources/list` if templates list their resources: first the resources of the server,
 * then the resources of each template, by URI. Pages are cut by template and URI, so that resources
 * that are added or removed between two pages do not shift others.
 *
 * @throws `RpcError` `-32602` for an invalid cursor; `TypeError` for a malformed list; the error of
 *   `list`.
 */
export async function listWithTemplates(
  listed: Listed,
  cursor: unknown,
  request: ServerRequest,
): Promise<ResourcePage> {
  const isInTemplates = typeof cursor === "string" && cursor.startsWith(version);
  const own = isInTemplates ? { resources: [] } : listed.page(cursor, request);
  if ("nextCursor" in own) {
    return own;
  }
  const resources = [...own.resources];
  let last = isInTemplates ? placeOf(cursor) : (["", ""] as const);
  for (const name of listed.templates.names) {
    const template = listed.templates.get(name);
    if (template?.list === undefined || name < last[0]) {
      continue;
    }
    for (const resource of await listOf(template, listed, request)) {
      if (name === last[0] && resource.uri <= last[1]) {
        continue;
      }
      if (resources.length === listed.pageSize) {
        return { ...own, resources, nextCursor: encodeCursor(JSON.stringify(last), version) };
      }
      resources.push(listed.convert(resource, request));
      last = [name, resource.uri];
    }
  }
  return { ...own, resources };
}

/**
 * The template and URI after which a page starts. Cursors come from clients: anything may be in
 * them.
 */
function placeOf(cursor: string): readonly [string, string] {
  return decodeCursor(cursor, version, (text) => {
    const place: unknown = JSON.parse(text);
    return Array.isArray(place) && typeof place[0] === "string" && typeof place[1] === "string"
      ? [place[0], place[1]]
      : undefined;
  });
}

/** The resources of a template, by URI, without those that the server offers by themselves. */
async function listOf(
  { list, template }: RegisteredTemplate,
  { resources }: Listed,
  request: ServerRequest,
): Promise<readonly Resource[]> {
  const returned: unknown = await list?.(request);
  if (!Array.isArray(returned) || !returned.every(isResource)) {
    throw new TypeError(
      `The list of resource template ${template.uriTemplate} must return an array of resources, each with a uri and a name.`,
    );
  }
  const { description, mimeType } = template;
  const shared = {
    ...(description !== undefined && { description }),
    ...(mimeType !== undefined && { mimeType }),
  };
  // Clients see the spelling that middleware sees when they read the resource.
  const byUri = new Map(
    returned
      .map((resource) => ({ ...shared, ...resource, uri: uriKey(resource.uri) }))
      .filter(({ uri }) => resources.get(uri) === undefined)
      .map((resource) => [resource.uri, resource]),
  );
  return [...byUri.values()].toSorted((a, b) => (a.uri < b.uri ? -1 : 1));
}

function isResource(value: unknown): value is Resource {
  return isRecord(value) && typeof value["uri"] === "string" && typeof value["name"] === "string";
}
