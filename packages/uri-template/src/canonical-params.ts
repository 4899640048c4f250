import { canonicalUri } from "./canonical-uri.ts";
import { isUriTemplateError } from "./error.ts";

type Params = Readonly<Record<string, unknown>>;

/** The methods of MCP whose `uri` names a resource. */
const named: ReadonlySet<string> = new Set([
  "resources/read",
  "resources/subscribe",
  "resources/unsubscribe",
]);

/**
 * Returns the params of an MCP request with all URIs of resources in canonical form: the same
 * object if they are canonical already, or if the method has none. The URI of a reference in
 * `completion/complete` is the text of a template, which has only one spelling.
 *
 * @param canonical - Default: {@link canonicalUri}.
 * @throws UriTemplateError `invalid-uri` for a URI without a canonical form.
 */
export function canonicalParams(
  method: string,
  params: Params,
  canonical: (uri: string) => string = canonicalUri,
): Params {
  if (named.has(method)) {
    const { uri } = params;
    const known = typeof uri === "string" ? canonical(uri) : uri;
    return known === uri ? params : { ...params, uri: known };
  }
  const filter = method === "subscriptions/listen" ? params["notifications"] : undefined;
  const { resourceSubscriptions: uris } = (filter ?? {}) as { readonly resourceSubscriptions?: unknown };
  if (!Array.isArray(uris)) {
    return params;
  }
  const known: readonly unknown[] = uris.map((uri: unknown) =>
    typeof uri === "string" ? canonical(uri) : uri,
  );
  return known.every((uri, index) => uri === uris[index])
    ? params
    : { ...params, notifications: { ...(filter as object), resourceSubscriptions: known } };
}

/**
 * Returns a message as access rules see it: with canonical URIs. A message without a canonical form
 * is returned unchanged, because servers reject it.
 */
export function canonicalMessage<M extends object>(message: M): M {
  const { method, params }: { readonly method?: unknown; readonly params?: unknown } = message;
  if (typeof method !== "string" || typeof params !== "object" || params === null) {
    return message;
  }
  try {
    const canonical = canonicalParams(method, params as Params);
    return canonical === params ? message : { ...message, params: canonical };
  } catch (error) {
    if (isUriTemplateError(error)) {
      return message;
    }
    throw error;
  }
}
