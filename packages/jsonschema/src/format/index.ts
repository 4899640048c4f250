import type { FormatCheck } from "../options.ts";
import { isBase64, isBase64Json, isJson } from "./content.ts";
import { isDate, isDateTime, isDuration, isTime } from "./date-time.ts";
import { isEmail, isIdnEmail } from "./email.ts";
import { isHostname, isIdnHostname } from "./hostname.ts";
import { isIpv4, isIpv6 } from "./ip.ts";
import { isJsonPointer, isRegex, isRelativeJsonPointer, isUriTemplate, isUuid } from "./text.ts";
import { isIri, isIriReference, isUri, isUriReference } from "./uri.ts";

/**
 * Every format of validation §7.3, and under names no `format` has, the content checks of draft-07
 * (validation draft-07 §8).
 */
export const formats: Readonly<Record<string, FormatCheck>> = {
  date: isDate,
  time: isTime,
  "date-time": isDateTime,
  duration: isDuration,
  email: isEmail,
  "idn-email": isIdnEmail,
  hostname: isHostname,
  "idn-hostname": isIdnHostname,
  ipv4: isIpv4,
  ipv6: isIpv6,
  uri: isUri,
  "uri-reference": isUriReference,
  iri: isIri,
  "iri-reference": isIriReference,
  uuid: isUuid,
  "uri-template": isUriTemplate,
  "json-pointer": isJsonPointer,
  "relative-json-pointer": isRelativeJsonPointer,
  regex: isRegex,
  " base64": isBase64,
  " application/json": isJson,
  " base64 application/json": isBase64Json,
};
