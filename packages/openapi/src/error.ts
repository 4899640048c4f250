import { brandErrors, isBranded } from "@tenon/base";

/** The meaning of each {@link OpenApiErrorCode}. */
export const openApiErrors = {
  DOCUMENT_UNREADABLE: "the document could not be read, or is neither JSON nor YAML",
  DOCUMENT_INVALID: "the document is not an OpenAPI document of a supported version",
  REFERENCE_REFUSED: "the document refers to another document that may not be read",
  REFERENCE_FAILED: "a document that the document refers to could not be read",
  NO_SERVER: "neither the document nor the options name a URL of the API that may be used",
  LIMIT: "the document exceeds a limit",
} as const;

/** The codes of {@link OpenApiError}. */
export type OpenApiErrorCode = keyof typeof openApiErrors;

const brand = Symbol.for("@tenon/openapi/OpenApiError");

/** A document that could not be made into tools. Recognize it by `code`. */
export class OpenApiError extends Error {
  static {
    brandErrors(this.prototype, "OpenApiError", brand);
  }

  readonly code: OpenApiErrorCode;

  /** An error with its code. @param options - `cause`: the error that led to this one. */
  constructor(code: OpenApiErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options?.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
  }
}

/** True for any copy of {@link OpenApiError}, optionally with this code. */
export function isOpenApiError(value: unknown, code?: OpenApiErrorCode): value is OpenApiError {
  return isBranded(value, brand, code);
}
