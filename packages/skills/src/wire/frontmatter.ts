import { isRecord } from "@tenon/base";
import { canonicalJson } from "@tenon/base/canonical-json";
import { parseDocument, visit } from "yaml";

/** Maximum length of the frontmatter, in characters. Parsing takes more than linear time. */
const maxLength = 8_192;

/**
 * Reads the YAML between the two lines `---` at the start of a `SKILL.md`.
 *
 * @returns The properties, or a sentence about why there are none.
 */
export function readFrontmatter(text: string): Readonly<Record<string, unknown>> | string {
  const source = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[1];
  if (source === undefined) {
    return "SKILL.md must begin with YAML between two lines ---";
  }
  if (source.length > maxLength) {
    return `the frontmatter must have at most ${maxLength} characters; got ${source.length}`;
  }
  try {
    const document = parseDocument(source, { schema: "core", logLevel: "error" });
    const [problem] = document.errors;
    if (problem !== undefined) {
      throw problem;
    }
    let isShared = false;
    visit(document, {
      Alias: () => {
        isShared = true;
        return visit.BREAK;
      },
      Node: (_, { anchor }) => {
        isShared ||= anchor !== undefined;
        return isShared ? visit.BREAK : undefined;
      },
    });
    if (isShared) {
      return "the frontmatter must not have anchors (&) or aliases (*)";
    }
    const parsed: unknown = document.toJS({ maxAliasCount: 0 });
    return isRecord(parsed) ? parsed : "the frontmatter must be an object";
  } catch (error) {
    return `the frontmatter must be YAML: ${error instanceof Error ? error.message.split("\n")[0] : "no YAML"}`;
  }
}

/** Whether two JSON values are equal, whatever the order of their properties. */
export function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}
