import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import ts from "typescript-6";

import { commentOf, plain } from "./comments.ts";

/** The codes of one class of errors, or of error responses. */
interface ErrorTable {
  readonly package: string;
  /** The class, such as `HttpError`, or the table of numbers, such as `ErrorCode`. */
  readonly name: string;
  /** Each code as users write it, and its meaning. */
  readonly codes: readonly (readonly [code: string, text: string])[];
}

/** Every table of codes in `packages`: those of the modules whose names contain `error`. */
function readErrorTables(packages: string): readonly ErrorTable[] {
  return readdirSync(packages)
    .toSorted()
    .flatMap((name) =>
      readdirSync(join(packages, name, "src"), { recursive: true, encoding: "utf8" })
        .filter((path) => /(?:^|[\\/])[\w-]*error[\w-]*\.ts$/.test(path))
        .toSorted()
        .flatMap((path) => {
          const text = readFileSync(join(packages, name, "src", path), "utf8");
          const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
          return file.statements.flatMap((statement) => tablesOf(name, statement));
        }),
    );
}

/**
 * The tables of a statement: `…Errors` maps codes to meanings, `…ErrorCode` maps names to numbers,
 * or is a union of codes.
 */
function tablesOf(name: string, statement: ts.Statement): readonly ErrorTable[] {
  if (ts.isTypeAliasDeclaration(statement) && ts.isUnionTypeNode(statement.type)) {
    const [, type] = /^(\w+Error)Code$/.exec(statement.name.text) ?? [];
    const { types } = statement.type;
    const codes = types.map(
      (member, index) => [unquoted(member), between(types[index - 1] ?? statement.name, member)] as const,
    );
    return type === undefined ? [] : [{ package: name, name: type, codes }];
  }
  if (!ts.isVariableStatement(statement)) {
    return [];
  }
  return statement.declarationList.declarations.flatMap((declaration) => {
    const variable = declaration.name.getText();
    const value = declaration.initializer;
    const table = value !== undefined && ts.isAsExpression(value) ? value.expression : undefined;
    if (!/Errors$|ErrorCode$/.test(variable) || table === undefined || !ts.isObjectLiteralExpression(table)) {
      return [];
    }
    const properties = table.properties.filter(ts.isPropertyAssignment);
    const codes = properties.map((property): readonly [string, string] => {
      const [key, code] = [property.name.getText(), property.initializer];
      return ts.isStringLiteralLike(code)
        ? [key, code.text]
        : [code.getText(), `\`${key}\`: ${commentOf(property)}`];
    });
    const type = variable[0]?.toUpperCase() + variable.slice(1).replace(/Errors$/, "Error");
    return [{ package: name, name: type, codes }];
  });
}

function unquoted(node: ts.Node): string {
  return node.getText().replaceAll('"', "");
}

/** The comment between two nodes: that of a member of a union stands before its `|`. */
function between(before: ts.Node, after: ts.Node): string {
  const text = after.getSourceFile().text.slice(before.getEnd(), after.getStart());
  return (/\/\*\* (.*?) \*\//s.exec(text)?.[1] ?? "").trim();
}

/** The tables of the page, by package and class. */
export function errorTables(packages: string): string {
  return readErrorTables(packages)
    .flatMap(({ package: name, name: type, codes }) => [
      `### \`${type}\` of @tenon/${name}`,
      "",
      "| code | means |",
      "|---|---|",
      ...codes.map(([code, text]) => `| \`${code}\` | ${plain(text)} |`),
      "",
    ])
    .join("\n")
    .trimEnd();
}
