import { bannerOf } from "./banner.ts";
import { emitMethodConstants, emitMethodTypes } from "./emit-methods.ts";
import { emitTypes } from "./emit-types.ts";
import type { GeneratedFiles } from "./generate.ts";
import { hoist } from "./hoist.ts";
import { methodTable } from "./methods.ts";
import { prepare } from "./prepare.ts";
import type { NamedRevision } from "./read-revision.ts";
import type { Repository } from "./repository.ts";

/**
 * Generates modules from one document, for use outside of the checkout: `types.ts`, and
 * `methods.ts` if the document has requests or notifications. They import nothing but each other.
 *
 * @param again - The command that generates them again, for the head of the files.
 */
export async function generateOne(
  source: NamedRevision,
  repository: Repository,
  again: string,
): Promise<GeneratedFiles> {
  const definitions = hoist(prepare(source, repository));
  const rows = methodTable(definitions, source.revision, repository);
  const head = bannerOf({ label: source.label, sha256: source.sha256, by: "@tenon/codegen", again });
  const files: GeneratedFiles = new Map();
  files.set("types.ts", head + (await emitTypes(definitions, repository.deprecations)));
  if (rows.length > 0) {
    const types = emitMethodTypes(rows, definitions, source.label, "./types.js");
    files.set("methods.ts", [head + types, emitMethodConstants(rows, source)].join("\n"));
  }
  return files;
}
