import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import ts from "typescript-6";

/** A name that a module exports. */
export type Exported =
  | { readonly kind: "declared"; readonly file: string; readonly local: string }
  /** From another package. */
  | { readonly kind: "foreign"; readonly from: string; readonly name: string };

/** What a module of declarations contains, by name. */
export interface Module {
  readonly file: string;
  /** Overloads and merged interfaces have several. */
  readonly declarations: ReadonlyMap<string, readonly ts.Statement[]>;
  readonly imports: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
  readonly exports: ReadonlyMap<string, { readonly from?: string; readonly local: string }>;
  /** The modules of `export * from`. */
  readonly stars: readonly string[];
  /** `declare module` and `declare global`. */
  readonly augmentations: readonly ts.Statement[];
}

const known = new Map<string, Module>();

/** Parses a file of declarations, once. No types are computed: 2,000 files take a second. */
export function readModule(file: string): Module {
  let module = known.get(file);
  if (module === undefined) {
    module = parse(file);
    known.set(file, module);
  }
  return module;
}

function parse(file: string): Module {
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  const declarations = new Map<string, ts.Statement[]>();
  const imports = new Map<string, { readonly from: string; readonly name: string }>();
  const exports = new Map<string, { readonly from?: string; readonly local: string }>();
  const stars: string[] = [];
  const augmentations: ts.Statement[] = [];
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      const from = textOf(statement.moduleSpecifier);
      const clause = statement.importClause;
      if (clause?.name !== undefined) {
        imports.set(clause.name.text, { from, name: "default" });
      }
      const bindings = clause?.namedBindings;
      if (bindings !== undefined && ts.isNamespaceImport(bindings)) {
        imports.set(bindings.name.text, { from, name: "*" });
      }
      for (const each of bindings !== undefined && ts.isNamedImports(bindings) ? bindings.elements : []) {
        imports.set(each.name.text, { from, name: (each.propertyName ?? each.name).text });
      }
    } else if (ts.isExportDeclaration(statement)) {
      const from = statement.moduleSpecifier === undefined ? undefined : textOf(statement.moduleSpecifier);
      const clause = statement.exportClause;
      if (clause === undefined) {
        stars.push(from ?? "");
      } else if (ts.isNamedExports(clause)) {
        for (const each of clause.elements) {
          const local = (each.propertyName ?? each.name).text;
          exports.set(each.name.text, from === undefined ? { local } : { from, local });
        }
      } else {
        exports.set(clause.name.text, { from: from ?? "", local: "*" });
      }
    } else if (ts.isModuleDeclaration(statement)) {
      augmentations.push(statement);
    } else {
      for (const name of namesOf(statement)) {
        declarations.set(name, [...(declarations.get(name) ?? []), statement]);
        if (isExported(statement)) {
          exports.set(name, { local: name });
        }
      }
    }
  }
  return { file, declarations, imports, exports, stars, augmentations };
}

function isExported(statement: ts.Statement): boolean {
  return (
    ts.canHaveModifiers(statement) &&
    (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  );
}

function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) => name.getText());
  }
  const { name } = statement as ts.Statement & { readonly name?: ts.Identifier };
  return name === undefined ? [] : [name.text];
}

function textOf(specifier: ts.Expression): string {
  return ts.isStringLiteral(specifier) ? specifier.text : specifier.getText();
}

/** The file of declarations that a relative specifier names; `undefined` for other packages. */
export function resolve(specifier: string, from: string): string | undefined {
  return specifier.startsWith(".")
    ? join(dirname(from), specifier.replace(/(?:\.d)?\.([cm]?)[jt]s$/, ".d.$1ts"))
    : undefined;
}

/** Everything that can be imported from a module. */
export function exportsOf(
  file: string,
  seen: ReadonlySet<string> = new Set(),
): ReadonlyMap<string, Exported> {
  const found = new Map<string, Exported>();
  if (seen.has(file)) {
    return found;
  }
  const module = readModule(file);
  for (const star of module.stars) {
    const target = resolve(star, file);
    if (target === undefined) {
      found.set(`* from ${star}`, { kind: "foreign", from: star, name: "*" });
    } else {
      for (const [name, exported] of exportsOf(target, new Set([...seen, file]))) {
        found.set(name, exported);
      }
    }
  }
  for (const [name, { from, local }] of module.exports) {
    found.set(name, from === undefined ? lookUp(local, file) : follow(from, local, file));
  }
  return found;
}

/** What a name means in a module. */
export function lookUp(local: string, file: string): Exported {
  const module = readModule(file);
  const imported = module.imports.get(local);
  return imported === undefined || module.declarations.has(local)
    ? { kind: "declared", file, local }
    : follow(imported.from, imported.name, file);
}

function follow(from: string, name: string, file: string): Exported {
  const target = resolve(from, file);
  if (target === undefined || name === "*") {
    return { kind: "foreign", from, name };
  }
  return exportsOf(target).get(name) ?? { kind: "foreign", from, name };
}
