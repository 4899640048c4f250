/**
 * The canonical form of a URI and the outline of a template: servers need them for each resource.
 *
 * @packageDocumentation
 */

export { canonicalUri } from "./canonical-uri.ts";
export { isUriTemplateError } from "./error.ts";
export { outline, type Outline, type ParseOptions } from "./outline.ts";
