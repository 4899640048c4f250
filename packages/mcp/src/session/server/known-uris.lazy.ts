import { isThenable } from "@tenon/base";
import { ErrorCode, isRpcError, RpcError } from "@tenon/jsonrpc2/core";
import { canonicalParams } from "@tenon/uri-template/canonical-parts";
import { canonicalUri, isUriTemplateError } from "@tenon/uri-template/core";

import { resourceNotFound } from "../../feature/not-found.ts";
import type { ServerDefinition } from "./definition.ts";
import type { LiveServerRequest } from "./request.ts";

/**
 * Handles a request with the URIs that the server knows: the spelling in which a resource was
 * added, otherwise the canonical form. So middleware, hooks and handlers see one spelling, whatever
 * the client wrote, and no rule over URIs can be avoided by another spelling.
 *
 * @throws `RpcError` `-32602` for a URI without a canonical form; the errors of `handle`.
 */
export function withKnownUris(
  definition: ServerDefinition,
  request: LiveServerRequest,
  handle: (definition: ServerDefinition, known: LiveServerRequest) => unknown,
): unknown {
  const { method, params } = request;
  let known = params;
  try {
    known = canonicalParams(method, params, (uri) => knownUri(definition, uri));
  } catch (error) {
    throw isUriTemplateError(error)
      ? new RpcError(ErrorCode.InvalidParams, error.message, { cause: error })
      : error;
  }
  if (known === params) {
    return handle(definition, request);
  }
  try {
    const result = handle(definition, request.with({ params: known }));
    return isThenable(result)
      ? Promise.resolve(result).catch((error: unknown) => {
          throw inSpellingOf(request, known, error);
        })
      : result;
  } catch (error) {
    throw inSpellingOf(request, known, error);
  }
}

/**
 * The spelling of a URI that the server uses. @throws UriTemplateError `invalid-uri` for a URI
 * without a canonical form.
 */
function knownUri({ addedUri }: ServerDefinition, uri: string): string {
  if (addedUri(uri) === uri) {
    return uri;
  }
  const canonical = canonicalUri(uri);
  return addedUri(canonical) ?? canonical;
}

/**
 * A client learns of a missing resource in its own spelling, whether there is none or middleware
 * hides it: the two cases cannot be told apart.
 */
function inSpellingOf(
  { params, revision }: LiveServerRequest,
  { uri: known }: LiveServerRequest["params"],
  error: unknown,
): unknown {
  const { uri } = params;
  if (typeof uri !== "string" || typeof known !== "string" || !isRpcError(error)) {
    return error;
  }
  const isMissing = error.message === resourceNotFound(known, revision).message;
  return isMissing ? resourceNotFound(uri, revision) : error;
}
