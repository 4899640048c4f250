import { amend, superset } from "./amend.ts";
import { banner } from "./banner.ts";
import { elide } from "./elide.ts";
import { emitDocs } from "./emit-docs.ts";
import type { RevisionRows } from "./emit-docs.ts";
import { emitMethodTable, emitMethodTypes, extendedBy } from "./emit-methods.ts";
import { emitTypes } from "./emit-types.ts";
import { emitValidators } from "./emit-validators.ts";
import { hoist } from "./hoist.ts";
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

/** Generates everything from `schema/`. Pure: the same repository gives the same text. */
export async function generate(repository: Repository): Promise<GeneratedFiles> {
  const files: GeneratedFiles = new Map();
  const history = repository.revisions.map((source) => ({
    revision: source.revision,
    definitions: prepare(source, repository),
  }));
  const tables: RevisionRows[] = [];
  for (const [index, source] of repository.revisions.entries()) {
    const definitions = hoist(history[index]?.definitions ?? {});
    const rows = methodTable(definitions, source.revision, repository);
    const before = tables.at(-1);
    tables.push({ revision: source.revision, rows });
    await generateRevision(source, { definitions, rows, before }, repository, files);
  }
  await generateSuperset(history, repository, files);
  files.set(`${gen}/revisions.ts`, revisionsFile(history, repository));
  files.set(`${gen}/tables.ts`, tablesFile(history, repository));
  files.set("docs/protocol-methods.md", emitDocs(tables));
  return files;
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

function revisionsFile(history: readonly RevisionDefinitions[], repository: Repository): string {
  const eras = history.map(({ revision, definitions }) => ({
    revision,
    era: "InitializeRequest" in definitions ? "legacy" : "modern",
  }));
  const list = eras.map(({ revision }) => `"${revision}"`).join(", ");
  return [
    `${banner("all revisions in schema/", digestOfAll(repository))}/** Every published revision, oldest first. */`,
    `export const revisions = [${list}] as const;`,
    "",
    "/** Whether a revision opens with the `initialize` handshake (legacy) or sends stateless requests (modern). */",
    "export const eras = {",
    ...eras.map(({ revision, era }) => `  "${revision}": "${era}",`),
    "} as const;",
    "",
  ].join("\n");
}

function tablesFile(history: readonly RevisionDefinitions[], repository: Repository): string {
  const local = (revision: string): string => `methods${revision.replaceAll("-", "")}`;
  return [
    `${banner("all revisions in schema/", digestOfAll(repository))}import type { MethodTable } from "../method.ts";`,
    ...history.map(
      ({ revision }) => `import { methods as ${local(revision)} } from "./${revision}/methods.ts";`,
    ),
    `import type { revisions } from "./revisions.ts";`,
    "",
    "/** The method table of each revision. */",
    "export const methodTables: { readonly [R in (typeof revisions)[number]]: MethodTable } = {",
    ...history.map(({ revision }) => `  "${revision}": ${local(revision)},`),
    "};",
    "",
  ].join("\n");
}
