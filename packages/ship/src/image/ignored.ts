import { posix } from "node:path";

/**
 * Whether a `.dockerignore` keeps a path below its folder out of the build. The last line that
 * matches the path, or a folder above it, decides.
 */
export function isIgnored(text: string, path: string): boolean {
  return text.split(/\r?\n/).reduce((before, line) => {
    const [, exception, pattern = ""] =
      line.startsWith("#") || line.length > 300 ? [] : (/^\s*(!?)\s*\/?(.*?)[\s/]*$/.exec(line) ?? []);
    return pattern !== "" && matcherOf(pattern).test(path) ? exception === "" : before;
  }, false);
}

function matcherOf(pattern: string): RegExp {
  const source = posix.normalize(pattern).replaceAll(/\\.|\*\*\/?|[*?]|\[[^\]]+\]|[^\w/]/g, (part) => {
    switch (part) {
      case "**/":
        return "(?:.*/)?";
      case "**":
        return ".*";
      case "*":
        return "[^/]*";
      case "?":
        return "[^/]";
      default:
        return /^\\\w$/.test(part) ? part.slice(1) : part.length > 1 ? part : `\\${part}`;
    }
  });
  try {
    return new RegExp(`^${source}(?:/.*)?$`);
  } catch {
    // A set of characters that is not valid here.
    return /(?!)/;
  }
}
