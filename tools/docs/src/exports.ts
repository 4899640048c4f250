import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

import ts from "typescript-6";

const root: string = join(import.meta.dirname, "../../..");

/** Something that users of a package meet, and what they read when they point at it. */
export interface Documented {
  /** Its name; of a member with its owner: `Server.addTool`. */
  readonly name: string;
  /**
   * `method` includes accessors and constructors; `option` is a member of an interface whose name
   * ends in `Options`; `field` is any other member.
   */
  readonly kind: "export" | "method" | "option" | "field";
  /** What it does, without the tags. */
  readonly text: string;
  /** The names that its comment links to. */
  readonly links: readonly string[];
  /** The code under `@example`. */
  readonly examples: readonly string[];
  /** Where it is declared, from the root. */
  readonly at: string;
}

/** The compiler's view of what the packages export, and the entries that it is made of. */
export interface Exports {
  readonly files: readonly string[];
  readonly program: ts.Program;
}

/** Reads the built declarations of all packages, which takes half as long as their sources. */
export function readExports(): Exports {
  const config = ts.readConfigFile(join(root, "tsconfig.tests.json"), (path) => readFileSync(path, "utf8"));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
  const files = entries();
  return { files, program: ts.createProgram(files, { ...options, customConditions: [] }) };
}

/** The declarations of a source, and the source of declarations. */
const declarationsOf = (path: string): string => path.replace(/^\.\/src\/(.*)\.tsx?$/, "./dist/$1.d.ts");
const sourceOf = (path: string): string => path.replace(/\/dist\/(.*)\.d\.ts$/, "/src/$1.ts");

/** The declarations of every entry of every package; generated and foreign ones are left out. */
function entries(): readonly string[] {
  return readdirSync(join(root, "packages")).flatMap((name) => {
    const folder = join(root, "packages", name);
    const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      readonly exports: Readonly<Record<string, { readonly "@tenon/source"?: string } | string>>;
    };
    if (name === "official-v1") {
      return [];
    }
    return Object.values(exports).flatMap((target) => {
      const source = typeof target === "string" ? undefined : target["@tenon/source"];
      return source === undefined || source.includes("/gen/") ? [] : [join(folder, declarationsOf(source))];
    });
  });
}

/**
 * Everything that the packages export and its public members, each once, as the compiler sees it.
 * What is generated is left out.
 */
export function publicApi({ files, program }: Exports): readonly Documented[] {
  const checker = program.getTypeChecker();
  const found = new Map<ts.Symbol, readonly Documented[]>();
  for (const file of files) {
    const source = program.getSourceFile(file);
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    for (const exported of module === undefined ? [] : checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      if (!found.has(symbol) && isOurs(symbol)) {
        found.set(symbol, [
          ...described(checker, symbol, exported.name, "export"),
          ...membersOf(checker, symbol, exported.name),
        ]);
      }
    }
  }
  return [...found.values()].flat();
}

/** The names that stand for several declarations, by name, with the files of the declarations. */
export function sharedNames({ files, program }: Exports): ReadonlyMap<string, readonly string[]> {
  const checker = program.getTypeChecker();
  // By declaration: a module that extends an interface has a symbol of its own for it.
  const found = new Map<string, Map<ts.Declaration | undefined, ts.Symbol>>();
  for (const file of files) {
    const source = program.getSourceFile(file);
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    for (const exported of module === undefined ? [] : checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const own = found.get(exported.name) ?? new Map<ts.Declaration | undefined, ts.Symbol>();
      found.set(exported.name, own.set(symbol.declarations?.[0], symbol));
    }
  }
  return new Map(
    [...found].flatMap(([name, symbols]) =>
      symbols.size === 1 ? [] : [[name, [...symbols.values()].map(fileOf).toSorted()] as const],
    ),
  );
}

function fileOf(symbol: ts.Symbol): string {
  const path = symbol.declarations?.[0]?.getSourceFile().fileName ?? root;
  return sourceOf(relative(root, path).split(sep).join("/"));
}

function isOurs(symbol: ts.Symbol): boolean {
  const path = symbol.declarations?.[0]?.getSourceFile().fileName ?? "/gen/";
  return !path.includes("/gen/") && !path.includes("/node_modules/");
}

function membersOf(checker: ts.TypeChecker, owner: ts.Symbol, name: string): readonly Documented[] {
  const nodes = (owner.declarations ?? []).flatMap((declaration): readonly ts.Node[] =>
    ts.isClassDeclaration(declaration) || ts.isInterfaceDeclaration(declaration) ? declaration.members : [],
  );
  const named = nodes.flatMap((node) => (isPublic(node) ? [checker.getSymbolAtLocation(node.name)] : []));
  // One without a comment is shown with that of its class.
  const commented = nodes.some(
    (node) => ts.isConstructorDeclaration(node) && ts.getJSDocCommentsAndTags(node).length > 0,
  );
  const construct = commented ? [owner.members?.get(ts.InternalSymbolName.Constructor)] : [];
  return [...new Set([...named, ...construct])].flatMap((symbol) =>
    symbol === undefined ? [] : described(checker, symbol, `${name}.${nameOf(symbol)}`, kindOf(symbol, name)),
  );
}

/** Members whose name is a symbol are what a rule of the language says they are. */
function isPublic(node: ts.Node): node is ts.ClassElement & { readonly name: ts.PropertyName } {
  return (
    (ts.isClassElement(node) || ts.isTypeElement(node)) &&
    node.name !== undefined &&
    !ts.isPrivateIdentifier(node.name) &&
    !ts.isComputedPropertyName(node.name) &&
    !(ts.getCombinedModifierFlags(node) & ts.ModifierFlags.NonPublicAccessibilityModifier)
  );
}

function nameOf(symbol: ts.Symbol): string {
  return symbol.flags & ts.SymbolFlags.Constructor ? "constructor" : symbol.name;
}

function kindOf(symbol: ts.Symbol, owner: string): Documented["kind"] {
  if (symbol.flags & (ts.SymbolFlags.Method | ts.SymbolFlags.Accessor | ts.SymbolFlags.Constructor)) {
    return "method";
  }
  return owner.endsWith("Options") ? "option" : "field";
}

/**
 * One for each overload, since editors show the comment of the overload that is called, and no
 * other; otherwise one.
 */
function described(
  checker: ts.TypeChecker,
  symbol: ts.Symbol,
  name: string,
  kind: Documented["kind"],
): readonly Documented[] {
  const declarations = symbol.declarations ?? [];
  const overloads = declarations.filter(
    (node) =>
      ts.isFunctionLike(node) && (declarations.length === 1 || !("body" in node) || node.body === undefined),
  );
  const shown = overloads.length === 0 ? declarations.slice(0, 1) : overloads;
  return shown.map((node) => {
    const signature =
      overloads.length > 1 ? checker.getSignatureFromDeclaration(node as ts.SignatureDeclaration) : undefined;
    const file = node.getSourceFile();
    const { line } = file.getLineAndCharacterOfPosition(node.getStart());
    const comments = ts.getJSDocCommentsAndTags(node).map((comment) => comment.getText());
    return {
      name,
      kind,
      text: ts.displayPartsToString((signature ?? symbol).getDocumentationComment(checker)),
      examples: ts
        .getJSDocTags(node)
        .filter((tag) => tag.tagName.text === "example")
        .map((tag) => (ts.getTextOfJSDocComment(tag.comment) ?? "").trim().replace(/^`(.*)`$/s, "$1")),
      links: comments.flatMap((comment) =>
        [...comment.matchAll(/\{@link[\s*]+([^}|\s]+)/g)].map(([, target = ""]) => target),
      ),
      at: `${relative(root, file.fileName).split(sep).join("/")}:${line + 1}`,
    };
  });
}
