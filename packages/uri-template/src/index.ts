export { isUriTemplateError, UriTemplateError, type UriTemplateErrorCode } from "./error.ts";
export type { Limits } from "./limits.ts";
export { parse, type ParseOptions, type UriTemplate } from "./template.ts";
export type { Scalar, Value, Values, VariableName, Variables } from "./values.ts";
