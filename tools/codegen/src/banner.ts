/** Raised when the generator's output changes for the same schema. */
const generatorVersion = 2;

/** The head of every generated file: where it comes from and how it is made again. */
export function banner(revision: string, sha256: string): string {
  return [
    `// Generated from ${revision} by tools/codegen, version ${generatorVersion}. Do not edit.`,
    `// Schema sha256: ${sha256}`,
    "// To change it: edit schema/, then run `npm run codegen -- generate`.",
    "",
    "",
  ].join("\n");
}
