import { constOf, isSchema, listOf, mapOf, refName } from "./schema.ts";
import type { Definitions, Schema } from "./schema.ts";

/**
 * The members that one revision gives to its types: `sets` by the names of `MemberTable`, `blocks`
 * by type of content block.
 */
export interface MemberRows {
  readonly sets: { readonly [name: string]: readonly string[] };
  readonly blocks: { readonly [type: string]: readonly string[] };
}

/**
 * What the columns of a `MemberTable` are made of. Several definitions give their members together.
 */
const sources: { readonly [name: string]: readonly string[] } = {
  annotations: ["Annotations"],
  contents: ["BlobResourceContents", "TextResourceContents"],
  implementation: ["Implementation"],
  progress: ["ProgressNotificationParams"],
  prompt: ["Prompt"],
  promptArgument: ["PromptArgument"],
  resource: ["Resource"],
  resourceTemplate: ["ResourceTemplate"],
  root: ["Root"],
  tool: ["Tool"],
};

/** Derives the members from the definitions of a revision (flattened, hoisted). */
export function memberRows(definitions: Definitions): MemberRows {
  const blocks = blocksOf(definitions);
  const sets = Object.entries(sources).map(([name, types]): [string, string[]] => [
    name,
    [...new Set(types.flatMap((type) => membersOf(definitions, type)))].sort(),
  ]);
  return { sets: { ...Object.fromEntries(sets), blockTypes: Object.keys(blocks) }, blocks };
}

/**
 * The revision's module `members.ts` without its head.
 *
 * @param newest - The members of the newest revision.
 */
export function emitMembers(
  rows: MemberRows,
  revision: string,
  { before, newest }: { readonly before: MemberRows | undefined; readonly newest: MemberRows },
): string {
  return [
    `/** The members of the types of ${revision}. */`,
    // Marked, so that bundles that read no members have none.
    "export const members: MemberTable = /* @__PURE__ */ (() => ({",
    ...(before === undefined ? [] : ["  ...before,"]),
    ...Object.entries(rows.sets).flatMap(([name, members]) => {
      const older = before?.sets[name];
      return older !== undefined && same(older, members)
        ? []
        : [`  ${name}: ${setOf(members, older, `before.${name}`)},`];
    }),
    ...emitBlocks(rows, newest),
    "}))();",
    "",
  ].join("\n");
}

function emitBlocks({ blocks, sets }: MemberRows, newest: MemberRows): string[] {
  // Blocks hold annotations and contents, so a block lacks what these lack.
  const inner = ["annotations", "contents"].every((name) => same(sets[name] ?? [], newest.sets[name] ?? []));
  const differing = Object.entries(blocks).filter(
    ([type, members]) => !inner || !same(members, newest.blocks[type] ?? members),
  );
  return differing.length === 0
    ? ["  blocks: {},"]
    : [
        "  blocks: {",
        ...differing.map(([type, members]) => `    ${type}: ${setOf(members, undefined, "")},`),
        "  },",
      ];
}

function setOf(members: readonly string[], older: readonly string[] | undefined, name: string): string {
  const extends_ = older !== undefined && older.every((member) => members.includes(member));
  const own = extends_ ? members.filter((member) => !older.includes(member)) : members;
  return `new Set([${[...(extends_ ? [`...${name}`] : []), ...own.map((member) => JSON.stringify(member))].join(", ")}])`;
}

function same(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((member) => other.includes(member));
}

function membersOf(definitions: Definitions, type: string): string[] {
  const definition = definitions[type] ?? (type === "Annotations" ? inPlace(definitions) : undefined);
  return Object.keys(mapOf(definition ?? {}, "properties"));
}

/** 2024-11-05 writes annotations in place. */
function inPlace(definitions: Definitions): Schema | undefined {
  return mapOf(definitions["Annotated"] ?? {}, "properties")["annotations"];
}

/** The members of each content block that a tool may answer with, by `type`. */
function blocksOf(definitions: Definitions): { [type: string]: string[] } {
  const items = mapOf(definitions["CallToolResult"] ?? {}, "properties")["content"]?.["items"];
  const union = isSchema(items) ? (definitions[refName(items) ?? ""] ?? items) : {};
  return Object.fromEntries(
    listOf(union, "anyOf").flatMap((member): [string, string[]][] => {
      const definition = definitions[refName(member) ?? ""] ?? member;
      const type = constOf(definition, "type");
      return type === undefined ? [] : [[type, Object.keys(mapOf(definition, "properties"))]];
    }),
  );
}
