/** A pattern in the output of a program that ended, and the remedy. */
interface Remedy {
  readonly pattern: RegExp;
  /** `$1` is replaced by the first group of the pattern. */
  readonly fix: string;
}

const remedies: readonly Remedy[] = [
  {
    pattern: /ERR_REQUIRE_ESM|Must use import to load ES Module|TS1479/,
    fix: 'the package is an ES module: set "type": "module" in package.json, or use import()',
  },
  {
    pattern: /Cannot (?:find|use) (?:package|module) '([^']+)'/,
    fix: "install what is missing: npm install $1",
  },
  {
    pattern: /ModuleNotFoundError: No module named '([^']+)'/,
    fix: "install what is missing: pip install $1",
  },
  {
    pattern: /SyntaxError: Invalid or unexpected token|experimentalDecorators/,
    fix: "decorators need a compiler: see docs/toolchains.md, or use Model() instead of decorators",
  },
  {
    pattern: /ERR_UNKNOWN_FILE_EXTENSION|Unknown file extension "\.ts"/,
    fix: "this Node does not run TypeScript: start it with npx tsx, or use Node 22.18 or later",
  },
  {
    pattern: /EADDRINUSE[^\d]*(?:[\d.:]*:)?(\d+)?/,
    fix: "another process uses the port $1: end it, or choose another port",
  },
  {
    pattern: /EACCES|[Pp]ermission denied/,
    fix: "make the program executable, or correct the permissions of its files",
  },
  {
    pattern: /npm (?:error|ERR!) (?:code )?E404|404 Not Found - GET/,
    fix: "the package does not exist in the registry: check its name",
  },
  {
    pattern:
      /\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b[^\n]{0,60}\b(?:required|missing|not set|not defined|undefined|must be set|not found)|(?:[Mm]issing|[Rr]equire[sd]?|[Ss]et)\b[^\n]{0,60}?\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b/,
    fix: "set the variable: --env $1=value, or env of the entry in the configuration",
  },
  { pattern: /\b[Uu]sage:/, fix: "the program expects other arguments: compare them with its usage text" },
];

/** The remedy for a program that ended with these last words, if it is known. */
export function remedyFor(words: string): string | undefined {
  for (const { pattern, fix } of remedies) {
    const found = pattern.exec(words);
    if (found !== null) {
      const name = found.slice(1).find((group) => group !== undefined) ?? "";
      return fix.replace("$1", name).trimEnd();
    }
  }
  return undefined;
}
