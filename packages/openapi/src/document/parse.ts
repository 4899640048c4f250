import { isRecord, kindOf } from "@tenon/base";
import { parse as parseYaml } from "yaml";

import { OpenApiError } from "../error.ts";

/** How often the aliases of a YAML document may be used in all. */
const maxAliasCount = 100;

/**
 * Parses JSON or YAML 1.2.
 *
 * @param name - The document, for errors.
 * @throws `OpenApiError` `DOCUMENT_UNREADABLE`.
 */
export function parseDocument(text: string, name: string): Record<string, unknown> {
  const content = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const isJson = /^\s*[[{]/.test(content);
  let value: unknown;
  try {
    // The engine's own parser is far faster, and knows no aliases. YAML in braces is rare.
    value = isJson ? fromJson(content) : fromYaml(content);
  } catch (cause) {
    const [reason = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    throw new OpenApiError(
      "DOCUMENT_UNREADABLE",
      `${name} is neither JSON nor YAML: ${reason.slice(0, 200)}`,
      { cause },
    );
  }
  if (!isRecord(value)) {
    throw new OpenApiError("DOCUMENT_UNREADABLE", `${name} must be an object; got ${kindOf(value)}.`);
  }
  return value;
}

function fromJson(content: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch (error) {
    // Small documents only: a slow parser gains nothing on a long document that is broken.
    if (content.length > 100_000) {
      throw error;
    }
    return fromYaml(content);
  }
}

function fromYaml(content: string): unknown {
  return parseYaml(content, {
    maxAliasCount,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
  }) as unknown;
}
