import { formats as all } from "./format/index.ts";
import type { FormatCheck } from "./options.ts";

/**
 * Every format of JSON Schema validation 2020-12 §7.3 by name, to call directly or to give to the
 * core build as `customFormats`.
 */
export const formats: Readonly<Record<string, FormatCheck>> = all;

// One by one, so that a bundle has those it names.
export { isDate, isDateTime, isDuration, isTime } from "./format/date-time.ts";
export { isEmail, isIdnEmail } from "./format/email.ts";
export { isHostname, isIdnHostname } from "./format/hostname.ts";
export { isIpv4, isIpv6 } from "./format/ip.ts";
export { isJsonPointer, isRegex, isRelativeJsonPointer, isUriTemplate, isUuid } from "./format/text.ts";
export { isIri, isIriReference, isUri, isUriReference } from "./format/uri.ts";
