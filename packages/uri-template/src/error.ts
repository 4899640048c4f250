/** The reasons for an error. */
export type UriTemplateErrorCode =
  /** the template is not RFC 6570; `position` is the offset */
  | "malformed-template"
  /** the template or the URI is larger than {@link UriTemplateLimits} allows */
  | "limit-exceeded"
  /** a value cannot be expanded, such as a list under a prefix modifier (RFC 6570 §2.4.1) */
  | "invalid-value"
  /** a URI has no canonical form */
  | "invalid-uri";

const brand = Symbol.for("@tenon/uri-template/error");

/** The only error that this package throws. Recognize it with {@link isUriTemplateError}. */
export class UriTemplateError extends Error {
  static {
    Object.defineProperty(this.prototype, brand, { value: true });
    Object.defineProperty(this.prototype, "name", { value: "UriTemplateError" });
  }

  readonly code: UriTemplateErrorCode;
  /** Offset in the template, in UTF-16 code units from 0; present for `malformed-template`. */
  readonly position?: number;

  constructor(code: UriTemplateErrorCode, message: string, position?: number) {
    super(position === undefined ? message : `${message} (at offset ${position})`);
    this.code = code;
    if (position !== undefined) {
      this.position = position;
    }
  }
}

/**
 * Returns whether `value` is a {@link UriTemplateError}, including one created by another copy of
 * this package.
 */
export function isUriTemplateError(value: unknown): value is UriTemplateError {
  return typeof value === "object" && value !== null && brand in value;
}
