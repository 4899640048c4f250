import type { Span, Wire } from "./repository.ts";
import type { RevisionDefinitions } from "./superset.ts";

/** The module `revisions.ts`: names and eras. */
export function emitRevisions(history: readonly RevisionDefinitions[]): string {
  const eras = history.map(({ revision, definitions }) => ({
    revision,
    era: "InitializeRequest" in definitions ? "legacy" : "modern",
  }));
  const list = eras.map(({ revision }) => `"${revision}"`).join(", ");
  return [
    "/** Every published revision, oldest first. */",
    `export const revisions = [${list}] as const;`,
    "",
    "/** Whether a revision opens with the `initialize` handshake (legacy) or sends stateless requests (modern). */",
    "export const eras = {",
    ...eras.map(({ revision, era }) => `  "${revision}": "${era}",`),
    "} as const;",
    "",
  ].join("\n");
}

/** The module `tables.ts`: the tables of all revisions by name. */
export function emitTables(revisions: readonly string[]): string {
  const imports = (what: string): string[] =>
    revisions.map(
      (revision) => `import { ${what} as ${localName(what, revision)} } from "./${revision}/${what}.ts";`,
    );
  const table = (what: string): string[] =>
    revisions.map((revision) => `  "${revision}": ${localName(what, revision)},`);
  return [
    `import type { MemberTable } from "../members.ts";`,
    `import type { MethodTable } from "../method.ts";`,
    ...imports("members"),
    ...imports("methods"),
    `import type { revisions } from "./revisions.ts";`,
    "",
    "/** The method table of each revision. */",
    "export const methodTables: { readonly [R in (typeof revisions)[number]]: MethodTable } = {",
    ...table("methods"),
    "};",
    "",
    "/** The members that each revision gives to its types. */",
    "export const memberTables: { readonly [R in (typeof revisions)[number]]: MemberTable } = {",
    ...table("members"),
    "};",
    "",
  ].join("\n");
}

/** The module `wire.ts`: how messages travel. */
export function emitWire(revisions: readonly string[], { assumed, ...spans }: Wire): string {
  const facts = (revision: string): string =>
    Object.entries(spans)
      .filter(([, span]) => covers(span, revision))
      .map(([name]) => `${name}: true`)
      .join(", ");
  return [
    `import type { WireFacts } from "../wire-facts.ts";`,
    `import type { revisions } from "./revisions.ts";`,
    "",
    "/** How the messages of each revision travel. */",
    "export const wires: { readonly [R in (typeof revisions)[number]]: WireFacts } = {",
    ...revisions.map(
      (revision) => `  "${revision}": {${facts(revision) === "" ? "" : ` ${facts(revision)} `}},`,
    ),
    "};",
    "",
    "/** The revision of requests over HTTP that name none. */",
    `export const assumedRevision = "${assumed}";`,
    "",
  ].join("\n");
}

/** The name of an import of one revision, such as `methods20260728`. */
export function localName(what: string, revision: string): string {
  return what + revision.replaceAll("-", "");
}

function covers({ since, until }: Span, revision: string): boolean {
  return since <= revision && (until === undefined || revision <= until);
}
