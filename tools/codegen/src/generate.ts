import { amend, superset } from "./amend.ts";
import { banner } from "./banner.ts";
import { elide } from "./elide.ts";
import { emitDocs } from "./emit-docs.ts";
import type { RevisionRows } from "./emit-docs.ts";
import { emitMethodTable, emitMethodTypes, extendedBy } from "./emit-methods.ts";
import { emitRules } from "./emit-rules.ts";
import { emitRevisions, emitTables, emitWire } from "./emit-tables.ts";
import { emitTypes } from "./emit-types.ts";
import { emitValidators } from "./emit-validators.ts";
import { CodegenError } from "./error.ts";
import { hoist } from "./hoist.ts";
import { emitMembers, memberRows } from "./members.ts";
import type { MemberRows } from "./members.ts";
import { methodTable } from "./methods.ts";
import type { MethodRow } from "./methods.ts";
import { prepare } from "./prepare.ts";
import { describePresence } from "./presence.ts";
import { sha256 } from "./repository.ts";
import type { Repository, RevisionSource } from "./repository.ts";
import type { Definitions } from "./schema.ts";
import { mergeRevisions } from "./superset.ts";
import type { RevisionDefinitions } from "./superset.ts";

/** Generated files: path from the root of the checkout, with `/`, to content. */
export type GeneratedFiles = Map<string, string>;

/** The folder that holds generated code and nothing else. */
export const gen = "packages/protocol/src/gen";

/** The generated list of the hand-written modules that say how each revision differs. */
export const rules = "packages/mcp/src/revisions/table.ts";

/** Generates everything from `schema/`. Pure: the same repository gives the same text. */
export async function generate(repository: Repository): Promise<GeneratedFiles> {
  const files: GeneratedFiles = new Map();
  const history = repository.revisions.map((source) => ({
    revision: source.revision,
    definitions: prepare(source, repository),
  }));
  const members = history.map(({ definitions }) => memberRows(hoist(definitions)));
  const tables: RevisionRows[] = [];
  for (const [index, source] of repository.revisions.entries()) {
    const definitions = hoist(history[index]?.definitions ?? {});
    const rows = methodTable(definitions, source.revision, repository);
    const before = tables.at(-1);
    tables.push({ revision: source.revision, rows });
    await generateRevision(source, { definitions, rows, before }, repository, files);
    generateMembers(source, members, tables, files);
  }
  requireMethods(tables, repository);
  requireFields(tables, repository);
  await generateSuperset(history, repository, files);
  const head = banner("all revisions in schema/", digestOfAll(repository));
  const names = history.map(({ revision }) => revision);
  files.set(`${gen}/revisions.ts`, head + emitRevisions(history));
  files.set(`${gen}/tables.ts`, head + emitTables(names));
  files.set(`${gen}/wire.ts`, head + emitWire(names, repository.wire));
  files.set(rules, head + emitRules(names));
  files.set("docs/protocol-methods.md", emitDocs(tables));
  return files;
}

/** @throws CodegenError `stale_amendment` for facts about a method that no schema has. */
function requireMethods(tables: readonly RevisionRows[], { methods }: Repository): void {
  const known = new Set(tables.flatMap(({ rows }) => rows.map(({ method }) => method)));
  const lost = Object.keys(methods).filter((method) => !known.has(method));
  if (lost.length > 0) {
    throw new CodegenError(
      "stale_amendment",
      `schema/methods.json: no schema has the method ${lost.join(", ")}. Add its definition to a schema/<revision>/schema.json, and to the union of its kind there, such as ServerNotification`,
    );
  }
}

/**
 * @throws CodegenError `stale_amendment` for a filter or a capability that no schema with the
 *   method has. Otherwise the generated rows would lack it.
 */
function requireFields(tables: readonly RevisionRows[], { methods }: Repository): void {
  const rows = tables.flatMap((table) => table.rows);
  for (const [method, { filter, requires }] of Object.entries(methods)) {
    const own = rows.filter((row) => row.method === method);
    const wanted = [
      ["SubscriptionFilter", filter, own.some((row) => row.filter !== undefined)],
      ["ClientCapabilities", requires?.client, own.some((row) => row.requires.client !== undefined)],
      ["ServerCapabilities", requires?.server, own.some((row) => row.requires.server !== undefined)],
    ] as const;
    for (const [definition, field, isKnown] of wanted) {
      if (field !== undefined && !isKnown) {
        throw new CodegenError(
          "stale_amendment",
          `schema/methods.json: ${method} names ${field}, but no schema with this method has ${field} in ${definition}. Add it to ${definition} of a schema/<revision>/schema.json`,
        );
      }
    }
  }
}

async function generateRevision(
  { revision, sha256: digest }: RevisionSource,
  {
    definitions,
    rows,
    before,
  }: {
    readonly definitions: Definitions;
    readonly rows: readonly MethodRow[];
    readonly before: RevisionRows | undefined;
  },
  repository: Repository,
  files: GeneratedFiles,
): Promise<void> {
  const head = banner(`schema/${revision}/schema.json`, digest);
  files.set(`${gen}/${revision}/types.ts`, head + (await emitTypes(definitions, repository.deprecations)));
  const base = extendedBy(rows, before);
  files.set(
    `${gen}/${revision}/methods.ts`,
    [
      `${head}import type { MethodInfo } from "../../method.ts";`,
      ...(base === undefined ? [] : [`import { methods as before } from "../${base.revision}/methods.ts";`]),
      emitMethodTypes(rows, definitions, revision),
      emitMethodTable({ revision, rows }, base),
    ].join("\n"),
  );
  files.set(`${gen}/${revision}/validators.ts`, head + emitValidators(rows, definitions));
  files.set(
    `${gen}/${revision}/index.ts`,
    `${head}export { methods } from "./methods.ts";\nexport type { Methods, Notifications } from "./methods.ts";\nexport type * from "./types.ts";\n`,
  );
}

/** The members of the revision that is the last of `tables`; `members` has those of all. */
function generateMembers(
  { revision, sha256: digest }: RevisionSource,
  members: readonly MemberRows[],
  tables: readonly RevisionRows[],
  files: GeneratedFiles,
): void {
  const [rows, newest] = [members[tables.length - 1], members.at(-1)];
  if (rows === undefined || newest === undefined) {
    return;
  }
  const before = tables.at(-2)?.revision;
  files.set(
    `${gen}/${revision}/members.ts`,
    [
      `${banner(`schema/${revision}/schema.json`, digest)}import type { MemberTable } from "../../members.ts";`,
      ...(before === undefined ? [] : [`import { members as before } from "../${before}/members.ts";`]),
      "",
      emitMembers(rows, revision, { before: members[tables.length - 2], newest }),
    ].join("\n"),
  );
}

async function generateSuperset(
  history: readonly RevisionDefinitions[],
  repository: Repository,
  files: GeneratedFiles,
): Promise<void> {
  const names = history.map(({ revision }) => revision);
  const merged = amend(hoist(mergeRevisions(history, repository.superset)), superset, repository.amendments);
  const definitions = describePresence(merged, names);
  const head = banner("all revisions in schema/", digestOfAll(repository));
  const rows = methodTable(definitions, names.at(-1) ?? "", repository);
  files.set(
    `${gen}/types.ts`,
    head + (await emitTypes(elide(definitions, repository.superset.elided), repository.deprecations)),
  );
  files.set(`${gen}/methods.ts`, head + emitMethodTypes(rows, definitions, "all revisions"));
}

function digestOfAll(repository: Repository): string {
  return sha256(repository.revisions.map((source) => source.sha256).join("\n"));
}
