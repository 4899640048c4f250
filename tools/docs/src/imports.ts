import { readFileSync } from "node:fs";

import ts from "typescript-6";

import { regionLines } from "./region.ts";

/** A name that code imports. */
export interface Imported {
  /** As its reader writes it: of `@tenon/sdk` wherever that has it. */
  readonly module: string;
  /** As between the braces, without `type`: `Server`, or `Server as McpServer`. */
  readonly name: string;
  readonly isType: boolean;
}

/**
 * The entries of `@tenon/sdk` that pages for its users name in place of the packages behind them.
 */
const umbrella: Readonly<Record<string, string>> = {
  "@tenon/apps/host": "@tenon/sdk/apps/host",
  "@tenon/apps/server": "@tenon/sdk/apps/server",
  "@tenon/apps/view": "@tenon/sdk/apps/view",
  "@tenon/auth/client": "@tenon/sdk/auth/client",
  "@tenon/auth/node": "@tenon/sdk/auth/node",
  "@tenon/auth/server": "@tenon/sdk/auth/server",
  "@tenon/auth/testing": "@tenon/sdk/auth/testing",
  "@tenon/host": "@tenon/sdk/host",
  "@tenon/host/node": "@tenon/sdk/host/node",
  "@tenon/host/search": "@tenon/sdk/host/search",
  "@tenon/jsonschema": "@tenon/sdk/jsonschema",
  "@tenon/mcp": "@tenon/sdk",
  "@tenon/mcp/client": "@tenon/sdk/client",
  "@tenon/mcp/file-resources": "@tenon/sdk/file-resources",
  "@tenon/mcp/server": "@tenon/sdk/server",
  "@tenon/node": "@tenon/sdk/node",
  "@tenon/node/socket": "@tenon/sdk/socket",
  "@tenon/skills/client": "@tenon/sdk/skills/client",
  "@tenon/skills/host": "@tenon/sdk/skills/host",
  "@tenon/skills/node": "@tenon/sdk/skills/node",
  "@tenon/skills/server": "@tenon/sdk/skills/server",
  "@tenon/tasks": "@tenon/sdk/tasks",
  "@tenon/tasks/client": "@tenon/sdk/tasks/client",
  "@tenon/tasks/file": "@tenon/sdk/tasks/file",
  "@tenon/tasks/rows": "@tenon/sdk/tasks/rows",
  "@tenon/tasks/server": "@tenon/sdk/tasks/server",
  "@tenon/tasks/testing": "@tenon/sdk/tasks/testing",
  "@tenon/transports-memory": "@tenon/sdk/memory",
  "@tenon/transports-message": "@tenon/sdk/message",
  "@tenon/transports-stdio": "@tenon/sdk/stdio",
  "@tenon/transports-streamable-http": "@tenon/sdk/http",
  "@tenon/transports-streamable-http/client": "@tenon/sdk/http",
  "@tenon/transports-streamable-http/server": "@tenon/sdk/http",
  "@tenon/transports-streamable-http/socket": "@tenon/sdk/socket",
};

/** Code as users of the single packages write it: for the pages of these packages. */
export function withoutUmbrella(code: string): string {
  return code.replaceAll(/(?<= from ")@tenon\/sdk\b[^"]*(?=")/g, (entry) => {
    const behind = Object.entries(umbrella).find(([, name]) => name === entry);
    return behind?.[0] ?? entry;
  });
}

/**
 * What a region uses and its file imports outside of the region, other files of the project left
 * out.
 *
 * @param options - `umbrella`: whether packages are named as users of `@tenon/sdk` do.
 */
export function importsOf(
  file: string,
  region: string | undefined,
  options: { readonly umbrella: boolean },
): readonly Imported[] {
  const text = readFileSync(file, "utf8");
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const ranges = regionLines(file, text, region);
  const isInside = (node: ts.Node): boolean => {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart());
    return ranges.some(([first, end]) => line >= first && line < end);
  };
  const used = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node) && isInside(node) && isReference(node)) {
      used.add(node.text);
    }
    node.forEachChild(visit);
  };
  visit(source);
  return source.statements
    .filter((statement) => ts.isImportDeclaration(statement))
    .filter((statement) => !isInside(statement))
    .flatMap((statement) => {
      const from = (statement.moduleSpecifier as ts.StringLiteral).text;
      const module = (options.umbrella ? umbrella[from] : undefined) ?? from;
      return module.startsWith(".") ? [] : namesOf(statement, module).filter(({ local }) => used.has(local));
    });
}

const byDefault = "default as ";

/** Import statements, one a module, in the order in which they are given. */
export function written(imports: readonly Imported[]): string {
  return [...new Set(imports.map(({ module }) => module))]
    .map((module) => {
      const names = imports.filter((each) => each.module === module);
      const types = names.every(({ isType }) => isType);
      const list = names.map(({ name, isType }) => (isType && !types ? `type ${name}` : name));
      const keyword = types ? "import type" : "import";
      if (list.length === 1 && list[0]?.startsWith(byDefault) === true) {
        return `${keyword} ${list[0].slice(byDefault.length)} from "${module}";\n`;
      }
      const line = `${keyword} { ${list.join(", ")} } from "${module}";\n`;
      return line.length <= 110 ? line : `${keyword} {\n  ${list.join(",\n  ")},\n} from "${module}";\n`;
    })
    .join("");
}

function namesOf(
  statement: ts.ImportDeclaration,
  module: string,
): readonly (Imported & { readonly local: string })[] {
  const clause = statement.importClause;
  const bindings = clause?.namedBindings;
  const isType = clause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  const named = bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements : [];
  const local = clause?.name?.text;
  return [
    ...(local === undefined ? [] : [{ module, local, name: `${byDefault}${local}`, isType }]),
    ...named.map((element) => ({
      module,
      local: element.name.text,
      name: element.getText().replace(/^type /, ""),
      isType: isType || element.isTypeOnly,
    })),
  ];
}

/** False for the names of members, which are somebody else's. */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  return !(
    (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
    (ts.isPropertyAssignment(parent) && parent.name === node) ||
    (ts.isBindingElement(parent) && parent.propertyName === node) ||
    ts.isImportSpecifier(parent)
  );
}
