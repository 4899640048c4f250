import { isRecord, kindOf, type ResolvedLimits } from "@tenon/base";
import { isAlias, parseDocument as parseYaml, visit } from "yaml";

import { isOpenApiError, OpenApiError } from "../error.ts";
import type { OpenApiLimits } from "../limits.ts";
import { mergeKeys } from "./merge-keys.ts";

type ParseLimits = Pick<ResolvedLimits<OpenApiLimits>, "maxAliases" | "maxValues">;

/**
 * Parses JSON or YAML 1.2.
 *
 * @param name - The document, for errors.
 * @throws `OpenApiError` `DOCUMENT_UNREADABLE` or `LIMIT`.
 */
export function parseDocument(text: string, name: string, limits: ParseLimits): Record<string, unknown> {
  const content = text.startsWith("\uFEFF") ? text.slice(1) : text;
  const isJson = /^\s*[[{]/.test(content);
  let value: unknown;
  try {
    // The engine's own parser is far faster, and knows no aliases. YAML in braces is rare.
    value = (isJson ? fromJson(content) : undefined) ?? fromYaml(content, name, limits);
  } catch (cause) {
    if (isOpenApiError(cause)) {
      throw cause;
    }
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

/** The value; `undefined` if the text is not JSON, but may be YAML. */
function fromJson(content: string): unknown {
  try {
    return JSON.parse(content) as unknown;
  } catch (error) {
    // Small documents only: a slow parser gains nothing on a long document that is broken.
    if (content.length > 100_000) {
      throw error;
    }
    return undefined;
  }
}

function fromYaml(content: string, name: string, { maxAliases, maxValues }: ParseLimits): unknown {
  const document = parseYaml(content, {
    // The parser copies merged objects to their full depth, so they are merged below. Documents
    // could turn that on by a directive or a tag.
    schema: "core",
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: "error",
  });
  const [problem] = document.errors;
  if (problem !== undefined) {
    throw problem;
  }
  let count = 0;
  visit(document, {
    Node: (_, node) => {
      count += isAlias(node) || node.anchor !== undefined ? 1 : 0;
    },
  });
  // The parser takes quadratic time for them, and counts only the aliases of each anchor.
  if (count > maxAliases) {
    throw new OpenApiError(
      "LIMIT",
      `${name} has more than ${maxAliases} anchors and aliases. If you trust it, raise limits.maxAliases.`,
    );
  }
  const value = document.toJS({ maxAliasCount: -1 }) as unknown;
  mergeKeys(value, name, maxValues);
  return value;
}
