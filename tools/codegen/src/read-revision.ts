import { basename } from "node:path";

import { parseDocument } from "./document.ts";
import { CodegenError } from "./error.ts";
import { isUrl, readSource } from "./read-source.ts";
import { isRevisionName, sha256 } from "./repository.ts";
import type { Repository, RevisionSource } from "./repository.ts";

/** Later than every revision: corrections and facts of the newest revision apply where they fit. */
const unreleased = "9999-12-31";

/** A schema document with the name that people know it by. */
export interface NamedRevision extends RevisionSource {
  /** The date of a revision, or the last part of a path or URL. */
  readonly label: string;
}

/**
 * The schema that an operand of the command line names: a revision by its date, or a document by
 * its path or URL.
 *
 * @throws `CodegenError` `unknown_revision`, `unreadable`, `invalid_document`.
 */
export async function readRevision(
  operand: string,
  repository: Repository,
  cwd: string,
): Promise<NamedRevision> {
  if (isRevisionName(operand)) {
    return { ...findRevision(repository, operand), label: operand };
  }
  const text = await readSource(operand, cwd);
  return {
    revision: unreleased,
    label: isUrl(operand) ? operand : basename(operand),
    document: parseDocument(text, operand),
    sha256: sha256(text),
  };
}

/**
 * The revision of that name.
 *
 * @throws CodegenError `unknown_revision` naming those there are.
 */
export function findRevision(repository: Repository, name: string): RevisionSource {
  const found = repository.revisions.find((source) => source.revision === name);
  if (found !== undefined) {
    return found;
  }
  const known = repository.revisions.map((source) => source.revision).join(", ");
  throw new CodegenError(
    "unknown_revision",
    `there is no schema/${name}/schema.json; known revisions: ${known}`,
  );
}
