/** A change that a converter made because the vendor rejects the original. */
export interface VendorChange {
  /** The qualified name of the tool. */
  readonly tool: string;
  /** The place of the change: a JSON Pointer into the definition, such as `/inputSchema/type`. */
  readonly at: string;
  /**
   * The kind of the change. A property was renamed, a keyword was removed, replaced or added, or
   * the end of a string or of a schema was cut.
   */
  readonly kind: "renamed" | "removed" | "replaced" | "added" | "cut";
  /** The change in words. */
  readonly message: string;
}

/** Options of the conversions of definitions. */
export interface ConversionOptions {
  /**
   * Called with each change that was necessary. Comments that are removed, and empty keywords that
   * are added, are not reported. By default nothing is.
   */
  readonly onChange?: ((change: VendorChange) => void) | undefined;
}

/** Reports a change of one tool. */
export type Report = (kind: VendorChange["kind"], at: string, message: string) => void;

/** Returns the report function for one tool, if changes are reported. */
export function reporterOf(tool: string, { onChange }: ConversionOptions): Report | undefined {
  return onChange && ((kind, at, message) => onChange({ tool, at, kind, message }));
}
