const UUID = /^[\da-fA-F]{8}-(?:[\da-fA-F]{4}-){3}[\da-fA-F]{12}$/;
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;
const RELATIVE_POINTER = /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/;
// RFC 6570 §2: literals, and expressions of an operator and variable specifications.
const VARIABLE = "(?:\\w|%[\\da-fA-F]{2})(?:\\.?(?:\\w|%[\\da-fA-F]{2}))*(?::[1-9]\\d{0,3}|\\*)?";
const TEMPLATE = new RegExp(
  `^(?:[^\\x00-\\x20"%<>\\\\^\`{|}\\x7f-\\x9f]|%[\\da-fA-F]{2}|\\{[+#./;?&=,!@|]?${VARIABLE}(?:,${VARIABLE})*\\})*$`,
  "u",
);

/** UUID of RFC 4122 §3, of any version and variant. */
export const isUuid = (text: string): boolean => UUID.test(text);
/** JSON Pointer of RFC 6901 §3. */
export const isJsonPointer = (text: string): boolean => POINTER.test(text);
/** Relative JSON Pointer (draft-handrews-relative-json-pointer-01 §3). */
export const isRelativeJsonPointer = (text: string): boolean => RELATIVE_POINTER.test(text);
/** URI template of RFC 6570 §2. */
export const isUriTemplate = (text: string): boolean => TEMPLATE.test(text);

/** A regular expression of ECMA-262 in Unicode mode. */
export function isRegex(text: string): boolean {
  try {
    return new RegExp(text, "u").source !== "";
  } catch {
    return false;
  }
}
