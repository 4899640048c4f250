/** What went wrong, for programs: decides the exit code. */
export type CodegenErrorCode =
  | "usage"
  | "unreadable"
  | "invalid_document"
  | "unknown_revision"
  | "stale_amendment"
  | "unsupported_schema";

/** A failure of the generator that is the input's fault, not the generator's. */
export class CodegenError extends Error {
  readonly code: CodegenErrorCode;

  constructor(code: CodegenErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CodegenError";
    this.code = code;
  }
}
