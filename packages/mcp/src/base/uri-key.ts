import { canonicalUri, isUriTemplateError } from "@tenon/uri-template/core";

/**
 * The key of all spellings of a URI: its canonical form, or the URI itself if it has none. For URIs
 * of the server: a URI of a client without a canonical form is refused.
 */
export function uriKey(uri: string): string {
  try {
    return canonicalUri(uri);
  } catch (error) {
    if (isUriTemplateError(error)) {
      return uri;
    }
    throw error;
  }
}
