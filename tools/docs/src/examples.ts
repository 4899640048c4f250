import { dirname, join } from "node:path";

import ts from "typescript-6";

import type { Exports } from "./exports.ts";

/** What is wrong with an example. */
export interface ExampleError {
  /** Its place in the list. */
  readonly index: number;
  readonly message: string;
}

/**
 * Compiles examples, each as a file of its own that imports whatever it names of what the packages
 * export.
 *
 * @param setting - Declarations of what examples take for granted; one is left out where an example
 *   declares the name itself. An empty one is for a global.
 */
export function compileExamples(
  exports: Exports,
  examples: readonly string[],
  setting: Readonly<Record<string, string>>,
): readonly ExampleError[] {
  const exported = exportedNames(exports);
  const root = join(import.meta.dirname, "..");
  const files = new Map(
    examples.map((code, index) => [
      join(root, `example-${index}.ts`),
      fileOf(code.startsWith("@") ? `class Example { ${code} }` : code, exported, setting),
    ]),
  );
  const options: ts.CompilerOptions = {
    ...exports.program.getCompilerOptions(),
    noUnusedLocals: false,
    noUnusedParameters: false,
    rewriteRelativeImportExtensions: false,
    verbatimModuleSyntax: false,
  };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => files.has(name) || fileExists(name);
  host.readFile = (name) => files.get(name) ?? readFile(name);
  host.getSourceFile = (name, ...rest) => {
    const text = files.get(name);
    // Those of the program are parsed and bound already.
    return text === undefined
      ? (exports.program.getSourceFile(name) ?? getSourceFile(name, ...rest))
      : ts.createSourceFile(name, text, ts.ScriptTarget.ES2023);
  };
  const program = ts.createProgram([...files.keys()], options, host, exports.program);
  return [...files.keys()].flatMap((name, index) => {
    const source = program.getSourceFile(name);
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
      ({ messageText }) => ({ index, message: ts.flattenDiagnosticMessageText(messageText, "\n") }),
    );
  });
}

function fileOf(
  code: string,
  exported: ReadonlyMap<string, string>,
  setting: Readonly<Record<string, string>>,
): string {
  const { used, declared } = identifiersOf(code);
  const wanted = [...used].filter((name) => !declared.has(name));
  const imports = wanted.flatMap((name) => {
    const file = Object.hasOwn(setting, name) ? undefined : exported.get(name);
    return file === undefined
      ? []
      : [`import { ${name} } from ${JSON.stringify(file.replace(/\.d\.ts$/, ".js"))};`];
  });
  const declarations = wanted.flatMap((name) => (Object.hasOwn(setting, name) ? [setting[name]] : []));
  return [...imports, ...declarations, code, "export {};"].join("\n");
}

function identifiersOf(code: string): { used: ReadonlySet<string>; declared: ReadonlySet<string> } {
  const used = new Set<string>();
  const declared = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) {
      used.add(node.text);
      if (isDeclaration(node.parent) && node.parent.name === node) {
        declared.add(node.text);
      }
    }
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile("example.ts", code, ts.ScriptTarget.ES2023, true));
  return { used, declared };
}

function isDeclaration(node: ts.Node): node is ts.NamedDeclaration {
  return (
    ts.isVariableDeclaration(node) ||
    ts.isBindingElement(node) ||
    ts.isClassDeclaration(node) ||
    ts.isTypeAliasDeclaration(node)
  );
}

/** Which entry exports a name; the first one, where several do. */
function exportedNames({ files, program }: Exports): ReadonlyMap<string, string> {
  const checker = program.getTypeChecker();
  const names = new Map<string, string>();
  for (const file of files.toSorted((a, b) => rank(a) - rank(b))) {
    const source = program.getSourceFile(file);
    const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
    for (const { name } of module === undefined ? [] : checker.getExportsOfModule(module)) {
      names.set(name, names.get(name) ?? file);
    }
  }
  return names;
}

/** What most people install comes first. */
function rank(file: string): number {
  return dirname(file).endsWith(join("sdk", "src")) ? 0 : 1;
}
