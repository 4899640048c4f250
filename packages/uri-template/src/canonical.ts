export { canonicalUri } from "./canonical-uri.ts";
export { isUriTemplateError } from "./error.ts";
