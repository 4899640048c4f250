import { ErrorCode, RpcError } from "@tenon/jsonrpc2";
import type { ReadResourceResult } from "@tenon/protocol";
import { isUriTemplateError } from "@tenon/uri-template";

import type { Registry } from "../../registry.ts";
import type { RevisionRules } from "../../revisions/rules.ts";
import type { ServerRequest } from "../../session/request.ts";
import { isInputRequired } from "../interaction/explicit.ts";
import { toReadResult } from "./contents.ts";
import type { RegisteredReader, RegisteredTemplate } from "./define.ts";

const maxQuoted = 2048;

/** The error for a resource that is not there, with the code of the request's revision (R-513, R-514, T-37). */
export function resourceNotFound(uri: string, rules: RevisionRules): RpcError {
  const quoted = uri.slice(0, maxQuoted);
  return new RpcError(rules.resourceNotFound, "Resource not found", { data: { uri: quoted } });
}

/**
 * The template that a URI belongs to. Of several, the one with the longest literal beginning; of these, the one that was added first.
 *
 * @throws `RpcError` −32602 for a URI that is too long to be matched.
 */
export function matchTemplate(
  templates: Registry<RegisteredTemplate>,
  uri: string,
): { readonly template: RegisteredTemplate; readonly variables: object } | undefined {
  let best: { readonly template: RegisteredTemplate; readonly variables: object } | undefined;
  try {
    for (const template of templates.values()) {
      const isBetter =
        best === undefined || template.parsed.prefix.length > best.template.parsed.prefix.length;
      const variables = isBetter ? template.parsed.match(uri) : undefined;
      if (variables !== undefined) {
        best = { template, variables };
      }
    }
  } catch (error) {
    if (isUriTemplateError(error)) {
      throw new RpcError(ErrorCode.InvalidParams, "The URI is too long", { cause: error });
    }
    throw error;
  }
  return best;
}

/** Reads a resource: missing URI and media type are filled in, hints that its definition has are added (S-155). */
export function readResource(
  reader: RegisteredReader,
  asked: { readonly uri: string; readonly variables: object },
  request: ServerRequest,
): ReadResourceResult | Promise<ReadResourceResult> {
  const returned = reader.handler(asked as never, request);
  return returned instanceof Promise
    ? returned.then((value: unknown) => resultOf(reader, value, asked.uri, request.rules))
    : resultOf(reader, returned, asked.uri, request.rules);
}

function resultOf(
  { mimeType, cache }: RegisteredReader,
  returned: unknown,
  uri: string,
  rules: RevisionRules,
): ReadResourceResult {
  if (isInputRequired(returned)) {
    return returned as unknown as ReadResourceResult;
  }
  const result = toReadResult(returned, uri, mimeType);
  if (result === undefined) {
    throw resourceNotFound(uri, rules);
  }
  const { ttlMs = cache?.ttlMs, cacheScope = cache?.cacheScope, ...rest } = result;
  if (rules.methods["resources/read"]?.cacheable !== true) {
    return rest;
  }
  return {
    ...rest,
    ...(ttlMs === undefined ? {} : { ttlMs }),
    ...(cacheScope === undefined ? {} : { cacheScope }),
  };
}
