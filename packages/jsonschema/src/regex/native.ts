import { SchemaError } from "../error.ts";

/** Compiles a pattern by the native engine. @throws SchemaError `invalid-pattern` */
export function nativePattern(source: string, location: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch (cause) {
    try {
      return new RegExp(source);
    } catch {
      const message = `${quoted(source)} is not a regular expression`;
      throw new SchemaError("invalid-pattern", location, message, { cause });
    }
  }
}

/** A pattern as errors show it. */
export function quoted(source: string): string {
  return JSON.stringify(source.length > 100 ? `${source.slice(0, 100)}…` : source);
}
