// What Anthropic's Messages API accepts, as data. Sources:
// - docs.claude.com, "Tool use" and "Vision" (2026-11): names, media types.
// - Error texts of the API: "input_schema.properties: Property keys should match pattern
//   '^[a-zA-Z0-9_.-]{1,64}$'" (claude-code#4668 2025 to claude-code#79418 2026-08),
//   "input_schema does not support oneOf, allOf, or anyOf at the top level" (claude-code#5878
//   2025 to opencode#37916 2026-07), "JSON schema is invalid. It must match JSON Schema draft
//   2020-12" (opencode#2082, 2025), "text content blocks must be non-empty" and "… must
//   contain non-whitespace text" (claude-code#59812, 2026-05; claude-code#23440),
//   "tool_result: content cannot be empty if `is_error` is true" (trae-agent#230 2025,
//   markform#153 2026-02), images whose bytes are of another type than they say.

import { draftProblems, walk, type Problem, type Schema } from "./json-schema.ts";

const rules = {
  name: /^[a-zA-Z0-9_-]{1,64}$/,
  key: /^[a-zA-Z0-9_.-]{1,64}$/,
  notAtRoot: ["oneOf", "anyOf", "allOf", "$ref"],
  images: ["image/jpeg", "image/png", "image/gif", "image/webp"],
  data: /^[A-Za-z0-9+/]+={0,2}$/,
  beginnings: {
    "image/png": "iVBORw0KGgo",
    "image/jpeg": "/9j/",
    "image/gif": "R0lGOD",
    "image/webp": "UklGR",
  },
} as const;

/** Why Anthropic would refuse a tool; empty if it would not. */
export function anthropicProblems(tool: { name: string; input_schema: Schema }): Problem[] {
  const { name, input_schema: root } = tool;
  const problems = draftProblems(root);
  if (!rules.name.test(name)) {
    problems.push(`name: String should match pattern ${String(rules.name)}`);
  }
  if (root["type"] !== "object") {
    problems.push("input_schema.type: Input should be 'object'");
  }
  if (rules.notAtRoot.some((keyword) => keyword in root)) {
    problems.push("input_schema does not support oneOf, allOf, or anyOf at the top level");
  }
  walk(root, (schema, at) => {
    for (const key of Object.keys(schema["properties"] ?? {})) {
      if (!rules.key.test(key)) {
        problems.push(`${at}/properties: Property keys should match pattern; got ${key}`);
      }
    }
  });
  return problems;
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly source?: { readonly media_type: string; readonly data: string };
}

/** Why Anthropic would refuse a result. */
export function anthropicResultProblems(result: {
  readonly is_error: boolean;
  readonly content: readonly Block[];
}): Problem[] {
  const problems = result.content.flatMap(({ type, text = "", source }, index): Problem[] => {
    if (type === "text") {
      return [
        ...(text.trim() === ""
          ? [`content.${index}: text content blocks must contain non-whitespace text`]
          : []),
        ...(/\p{Surrogate}/u.test(text)
          ? ["The request body is not valid JSON: no low surrogate in string"]
          : []),
      ];
    }
    const { media_type = "", data = "" } = source ?? {};
    const real = Object.entries(rules.beginnings).find(([, start]) => data.startsWith(start))?.[0];
    return [
      ...((rules.images as readonly string[]).includes(media_type)
        ? []
        : [`content.${index}: media_type ${media_type}`]),
      ...(rules.data.test(data) && data.length % 4 === 0 ? [] : [`content.${index}: invalid base64 data`]),
      ...(real === undefined || real === media_type
        ? []
        : [`content.${index}: specified ${media_type}, appears ${real}`]),
    ];
  });
  return result.is_error && result.content.length === 0
    ? [...problems, "tool_result: content cannot be empty if `is_error` is true"]
    : problems;
}
