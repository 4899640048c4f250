/** Raised when the generator's output changes for the same schema. */
const generatorVersion = 2;

/** What the head of a generated file says. */
export interface Origin {
  /** The document, as people name it. */
  readonly label: string;
  /** SHA-256 of the document, in hexadecimal. */
  readonly sha256: string;
  /** The program that has generated the file. */
  readonly by: string;
  /** How the file is generated again: a sentence without its full stop. */
  readonly again: string;
}

/** The head of a generated file: where it comes from and how it is made again. */
export function bannerOf({ label, sha256, by, again }: Origin): string {
  return [
    `// Generated from ${label} by ${by}, version ${generatorVersion}. Do not edit.`,
    `// Schema sha256: ${sha256}`,
    `// ${again}.`,
    "",
    "",
  ].join("\n");
}

/** The head of the generated files of the checkout. */
export function banner(label: string, sha256: string): string {
  const again = "To change it: edit schema/, then run `npm run codegen -- generate`";
  return bannerOf({ label, sha256, by: "tools/codegen", again });
}
