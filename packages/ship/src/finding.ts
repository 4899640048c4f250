/** A problem at a place. */
export interface Finding {
  /** A JSON pointer, after the name of the file if there are several: `package.json/version`. */
  readonly path: string;
  /** One clause, without a full stop. */
  readonly message: string;
  /** A warning does not prevent anything. Default: `"error"`. */
  readonly severity?: "error" | "warning" | undefined;
}
