import { digestOf } from "../wire/digest.ts";
import { manifestName, maxBytes, type SkillEntry } from "../wire/entry.ts";
import { isSame, readFrontmatter } from "../wire/frontmatter.ts";

/**
 * Describes how a file differs from the entry of its skill; `undefined` if it does not. A dynamic
 * skill has no digests: only its frontmatter is compared.
 *
 * @source SEP-2640
 */
export async function fileProblem(
  { uri: manifest, frontmatter, resources }: SkillEntry,
  uri: string,
  bytes: Uint8Array,
): Promise<string | undefined> {
  if (resources === "dynamic") {
    if (bytes.length > maxBytes) {
      return `it must have at most ${maxBytes} bytes; got ${bytes.length}`;
    }
  } else {
    const file = resources.find((each) => each.uri === uri);
    if (file?.size !== bytes.length) {
      return `it must have ${file?.size} bytes; got ${bytes.length}`;
    }
    const digest = await digestOf(bytes);
    if (digest !== file.digest) {
      return `it must have the digest ${file.digest}; got ${digest}`;
    }
  }
  return uri === manifest ? manifestProblem(frontmatter, bytes) : undefined;
}

function manifestProblem(frontmatter: SkillEntry["frontmatter"], bytes: Uint8Array): string | undefined {
  const own = readFrontmatter(new TextDecoder().decode(bytes));
  if (typeof own === "string") {
    return own;
  }
  return isSame(own, frontmatter) ? undefined : `the frontmatter of ${manifestName} must match the entry`;
}
