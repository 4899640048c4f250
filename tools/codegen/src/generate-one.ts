import { bannerOf } from "./banner.ts";
import { answersOf, emitMethodConstants, emitMethodTypes } from "./emit-methods.ts";
import { emitTypes } from "./emit-types.ts";
import { CodegenError } from "./error.ts";
import type { GeneratedFiles } from "./generate.ts";
import { hoist } from "./hoist.ts";
import { methodTable } from "./methods.ts";
import type { MethodRow } from "./methods.ts";
import { notesOn } from "./notes.ts";
import { prepare } from "./prepare.ts";
import type { NamedRevision } from "./read-revision.ts";
import { renameDefinitions } from "./rename.ts";
import type { Repository } from "./repository.ts";
import type { Definitions } from "./schema.ts";

/**
 * Generates modules from one document, for use outside of the checkout: `types.ts`, and
 * `methods.ts` if the document has requests or notifications. They import nothing but each other.
 *
 * @param again - The command that generates them again, for the head of the files.
 * @returns the files, and notes on what was assumed, renamed or left out
 */
export async function generateOne(
  source: NamedRevision,
  repository: Repository,
  again: string,
): Promise<{ readonly files: GeneratedFiles; readonly notes: readonly string[] }> {
  const { definitions, renamed } = renameDefinitions(hoist(prepare(source, repository)));
  const rows = methodTable(definitions, source.revision, repository);
  requireAnswers(rows, definitions, source.label);
  const head = bannerOf({ label: source.label, sha256: source.sha256, by: "@tenon/codegen", again });
  const files: GeneratedFiles = new Map();
  files.set("types.ts", head + (await emitTypes(definitions, repository.deprecations)));
  if (rows.length > 0) {
    const types = emitMethodTypes(rows, definitions, source.label, "./types.js");
    files.set("methods.ts", [head + types, emitMethodConstants(rows, source)].join("\n"));
  }
  return { files, notes: notesOn({ definitions, rows, renamed }, repository) };
}

/** `methods.ts` imports these types. Without them it does not compile. */
function requireAnswers(rows: readonly MethodRow[], definitions: Definitions, label: string): void {
  for (const row of rows.filter(({ kind }) => kind === "request")) {
    const missing = answersOf(row).find((name) => !Object.hasOwn(definitions, name));
    if (missing !== undefined) {
      const message = `${row.definition} can be answered by ${missing}, which is not defined`;
      throw new CodegenError("invalid_document", `${label}: ${message}; add the definition`);
    }
  }
}
