import { isThenable } from "@tenon/base";
import { ErrorCode, RpcError } from "@tenon/jsonrpc2/core";
import type { ReadResourceResult } from "@tenon/protocol";
import { isUriTemplateError, parse, type UriTemplate } from "@tenon/uri-template";
import { canonicalStart } from "@tenon/uri-template/canonical-parts";

import type { Registry } from "../../../base/registry.ts";
import { uriKey } from "../../../base/uri-key.ts";
import { onlyFields } from "../../../base/values.ts";
import { isInputRequired, type InputRequired } from "../../../request/server/input-required.ts";
import type { InnerServerRequest } from "../../../request/server/request.ts";
import type { RevisionRules } from "../../../revisions/rules.ts";
import { checkHints } from "../../cache/server.ts";
import { resourceNotFound } from "../../not-found.ts";
import { toReadResult } from "./read-result.ts";
import type { RegisteredReader, RegisteredResource, RegisteredTemplate } from "./register.ts";

/** The result of `resources/read`. */
type ResourceAnswer = ReadResourceResult | InputRequired;

/** The resources and templates of a server. */
interface Readable {
  readonly resources: Registry<RegisteredResource>;
  readonly templates: Registry<RegisteredTemplate>;
}

const matchers = new WeakMap<RegisteredTemplate, UriTemplate>();

/** A template whose host is not valid matches no canonical URI. */
function startOf(template: string): string {
  try {
    return canonicalStart(template);
  } catch {
    return template;
  }
}

function matcherOf(registered: RegisteredTemplate): UriTemplate {
  let matcher = matchers.get(registered);
  if (matcher === undefined) {
    matcher = parse<string>(startOf(registered.template.uriTemplate));
    matchers.set(registered, matcher);
  }
  return matcher;
}

/**
 * Returns the template that matches a URI. If several match, the template with the longest literal
 * beginning is used; of these, the template that was added first.
 *
 * @throws `RpcError` `-32602` for a URI that is too long to be matched.
 */
function matchTemplate(
  templates: Registry<RegisteredTemplate>,
  uri: string,
): { readonly template: RegisteredTemplate; readonly variables: object } | undefined {
  let best: { readonly template: RegisteredTemplate; readonly variables: object } | undefined;
  try {
    for (const template of templates.values()) {
      const isBetter =
        best === undefined || template.outline.prefix.length > best.template.outline.prefix.length;
      const variables = isBetter ? matcherOf(template).match(uri) : undefined;
      if (variables !== undefined) {
        best = { template, variables };
      }
    }
  } catch (error) {
    if (isUriTemplateError(error)) {
      throw new RpcError(ErrorCode.InvalidParams, "Resource URI is too long", { cause: error });
    }
    throw error;
  }
  return best;
}

/** Handles `resources/read`. @throws `RpcError` for an invalid URI and for an unknown resource. */
export function readUri(
  uri: unknown,
  { resources, templates }: Readable,
  request: InnerServerRequest,
): ResourceAnswer | Promise<ResourceAnswer> {
  if (typeof uri !== "string") {
    throw new RpcError(ErrorCode.InvalidParams, 'The "uri" of the resource to read must be a string');
  }
  const resource = resources.get(uri) ?? resources.get(uriKey(uri));
  if (resource !== undefined) {
    return readResource(resource, { uri: resource.resource.uri, variables: {} }, request);
  }
  const matched = matchTemplate(templates, uri);
  if (matched === undefined) {
    throw resourceNotFound(uri, request.revision);
  }
  return readResource(matched.template, { uri, variables: matched.variables }, request);
}

/**
 * Reads a resource: missing URI and media type are filled in, hints that its definition has are
 * added.
 *
 * @source S-155
 */
function readResource(
  reader: RegisteredReader,
  asked: { readonly uri: string; readonly variables: object },
  request: InnerServerRequest,
): ResourceAnswer | Promise<ResourceAnswer> {
  const returned = reader.handler(asked as never, request);
  return isThenable(returned)
    ? Promise.resolve(returned).then((value) => resultOf(reader, value, asked.uri, request.rules))
    : resultOf(reader, returned, asked.uri, request.rules);
}

function resultOf(
  { mimeType, cache }: RegisteredReader,
  returned: unknown,
  uri: string,
  rules: RevisionRules,
): ResourceAnswer {
  if (isInputRequired(returned)) {
    return returned;
  }
  const result = toReadResult(returned, uri, mimeType);
  if (result === undefined) {
    throw resourceNotFound(uri, rules.revision);
  }
  const { ttlMs = cache?.ttlMs, cacheScope = cache?.cacheScope, ...whole } = result;
  const contents = whole.contents.map((piece) => onlyFields(piece, rules.members.contents));
  const rest = { ...whole, contents };
  if (rules.methods["resources/read"]?.cacheable !== true) {
    return rest;
  }
  checkHints({ ttlMs, cacheScope }, `the contents of ${uri}`);
  return {
    ...rest,
    ...(ttlMs === undefined ? {} : { ttlMs }),
    ...(cacheScope === undefined ? {} : { cacheScope }),
  };
}
