import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import ts from "typescript-6";

import { commentOf, plain } from "./comments.ts";

/** One limit of an interface. */
export interface Limit {
  readonly name: string;
  /** The default of its rule. */
  readonly initial: number;
  /** What it limits, and what happens above it. */
  readonly text: string;
  /** The default that its comment names. */
  readonly documented: string | undefined;
}

/** An interface of limits, and where it is declared. */
export interface Limits {
  readonly package: string;
  readonly name: string;
  readonly text: string;
  /** The interfaces whose limits it contains. */
  readonly inherited: readonly string[];
  readonly limits: readonly Limit[];
}

/** A source with tables of rules, or with interfaces that may have one. */
interface Source {
  readonly package: string;
  readonly file: ts.SourceFile;
}

type Rules = ReadonlyMap<string, number>;

const units: readonly (readonly [suffix: string, unit: string])[] = [
  ["Ms", "milliseconds"],
  ["Bytes", "bytes"],
  ["Length", "characters"],
];

/** The unit of a limit, by the end of its name. */
export function unitOf(name: string): string {
  return units.find(([suffix]) => name.endsWith(suffix))?.[1] ?? "";
}

/** The type of a table, which names the interface whose rules the table has. */
const typeOfTable = /(?:\bLimitRules|\bkeyof Required)<(\w+)>/g;

/** Reads the interfaces of limits of all packages: those that have a table of rules. */
export function readLimitTables(packages: string): readonly Limits[] {
  const texts = readdirSync(packages).flatMap((name) => {
    const src = join(packages, name, "src");
    return readdirSync(src, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts"))
      .toSorted()
      .map((path) => ({ package: name, path, text: readFileSync(join(src, path), "utf8") }));
  });
  const limited = texts.flatMap(({ text }) => [...text.matchAll(typeOfTable)].map(([, type]) => type));
  const declared = new RegExp(`\\binterface (?:${limited.join("|")})\\b`);
  const sources = texts
    // To parse every source takes seconds.
    .filter(({ text }) => /LimitRules|keyof Required/.test(text) || declared.test(text))
    .map(({ package: name, path, text }): Source => ({
      package: name,
      file: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true),
    }));
  const tables = tablesOf(sources);
  return sources
    .flatMap(({ package: name, file }) =>
      file.statements.filter(ts.isInterfaceDeclaration).flatMap((declaration): readonly Limits[] => {
        const rules = tables.get(declaration.name.text);
        return rules === undefined ? [] : [limitsOf(name, declaration, rules)];
      }),
    )
    .toSorted((a, b) => (a.package === b.package ? 0 : a.package < b.package ? -1 : 1));
}

/** The members that an interface declares itself. Inherited ones stand where they are declared. */
function limitsOf(name: string, declaration: ts.InterfaceDeclaration, rules: Rules): Limits {
  const limits = declaration.members.filter(ts.isPropertySignature).flatMap((member): readonly Limit[] => {
    const key = member.name.getText();
    const initial = rules.get(key);
    if (initial === undefined) {
      return [];
    }
    const comment = commentOf(member);
    const [, documented] = /Default: `([^`]+)`/.exec(comment) ?? [];
    return [{ name: key, initial, text: comment, documented }];
  });
  const inherited = (declaration.heritageClauses ?? []).flatMap(({ types }) =>
    types.flatMap((type) => /\w+(?:Limits|Options)\b/.exec(type.getText()) ?? []),
  );
  return { package: name, name: declaration.name.text, text: commentOf(declaration), inherited, limits };
}

/** The tables of rules, by the interface whose rules they are. */
function tablesOf(sources: readonly Source[]): ReadonlyMap<string, Rules> {
  const variables = new Map<string, ts.ObjectLiteralExpression>();
  const typed = new Map<string, ts.ObjectLiteralExpression>();
  for (const { file } of sources) {
    for (const statement of file.statements.filter(ts.isVariableStatement)) {
      for (const { name, type, initializer } of statement.declarationList.declarations) {
        const table = tableIn(initializer);
        if (table !== undefined && type !== undefined) {
          variables.set(name.getText(), table);
          const [, limits] =
            /^LimitRules<(\w+)>$|keyof Required<(\w+)>/.exec(type.getText())?.filter(Boolean) ?? [];
          if (limits !== undefined) {
            typed.set(limits, table);
          }
        }
      }
    }
  }
  const rulesOf = (table: ts.ObjectLiteralExpression): Rules =>
    new Map(
      table.properties.flatMap((property): readonly (readonly [string, number])[] => {
        if (ts.isSpreadAssignment(property)) {
          const spread = variables.get(property.expression.getText());
          return spread === undefined ? [] : [...rulesOf(spread)];
        }
        if (!ts.isPropertyAssignment(property)) {
          return [];
        }
        const { name, initializer } = property;
        const initial = ts.isArrayLiteralExpression(initializer) ? initializer.elements[0] : initializer;
        return [[name.getText(), valueOf(initial)]];
      }),
    );
  return new Map([...typed].map(([name, table]) => [name, rulesOf(table)]));
}

/**
 * The table of an initializer, also where a function returns it at once, so that bundlers can
 * remove it.
 */
function tableIn(node: ts.Node | undefined): ts.ObjectLiteralExpression | undefined {
  if (node === undefined || ts.isObjectLiteralExpression(node)) {
    return node;
  }
  if (ts.isArrowFunction(node)) {
    return tableIn(node.body);
  }
  return ts.isParenthesizedExpression(node) || ts.isCallExpression(node)
    ? tableIn(node.expression)
    : undefined;
}

/** The value of a literal, of a product, or of `Infinity`. */
function valueOf(node: ts.Expression | undefined): number {
  if (node !== undefined && ts.isBinaryExpression(node)) {
    return valueOf(node.left) * valueOf(node.right);
  }
  return Number(node?.getText().replaceAll("_", ""));
}

/** The tables of the page, by package and interface. */
export function optionTables(packages: string): string {
  const lines: string[] = [];
  let heading: string | undefined;
  for (const { package: name, name: type, text, inherited, limits } of readLimitTables(packages)) {
    if (name !== heading) {
      lines.push(`## @tenon/${name}`, "");
      heading = name;
    }
    const also = inherited.map((each) => `\`${each}\``).join(" and ");
    lines.push(
      `### ${type}`,
      "",
      plain(text) + (also === "" ? "" : ` It contains the limits of ${also}, too.`),
      "",
    );
    if (limits.length > 0) {
      lines.push("| limit | unit | default | |", "|---|---|---|---|", ...limits.map(rowOf), "");
    }
  }
  return lines.join("\n").trimEnd();
}

/** The sentence of a comment that names the default, and what explains it. */
const defaultSentence = /\s*Default: (`[^`]+`(?: \([^)]*\))?)\.?/;

function rowOf({ name, text }: Limit): string {
  const [sentence = "", initial = ""] = defaultSentence.exec(text) ?? [];
  return `| \`${name}\` | ${unitOf(name)} | ${initial} | ${plain(text.replace(sentence, "").trim())} |`;
}
