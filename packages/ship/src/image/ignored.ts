import { posix } from "node:path";

/**
 * Whether a `.dockerignore` keeps a path below its folder out of the build. The last line that
 * matches the path, or a folder above it, decides.
 */
export function isIgnored(text: string, path: string): boolean {
  return text.split(/\r?\n/).reduce((before, line) => {
    const [, exception, pattern = ""] =
      line.startsWith("#") || line.length > 300 ? [] : (/^\s*(!?)\s*\/?(.*?)[\s/]*$/.exec(line) ?? []);
    return pattern !== "" && fits(placesOf(pattern), path) ? exception === "" : before;
  }, false);
}

/** `start` precedes zero or more folders, `folders` is inside of them. */
type Place = "folders" | "name" | "rest" | "start" | ((character: string) => boolean);

function placesOf(pattern: string): readonly Place[] {
  const parts = posix.normalize(pattern).match(/\*\*\/?|\\[^]|\[[^\]]+\]|[^]/gu) ?? [];
  return parts.flatMap((part, index): readonly Place[] => {
    if (part.startsWith("**")) {
      return index === parts.length - 1 ? ["rest"] : ["start", "folders"];
    }
    if (part === "*") {
      return ["name"];
    }
    if (part === "?") {
      return [(character) => character !== "/"];
    }
    if (part.length > 2 && part.startsWith("[")) {
      const set = setOf(part);
      return [(character) => set.test(character)];
    }
    const literal = part.startsWith("\\") ? part.slice(1) : part;
    return [(character) => character === literal];
  });
}

function setOf(part: string): RegExp {
  try {
    return new RegExp(`^${part}$`);
  } catch {
    // A set of characters that is not valid here.
    return /(?!)/;
  }
}

/** Follows all ways at once: to try one after the other takes exponential time. */
function fits(places: readonly Place[], path: string): boolean {
  let current = withSkipped(places, [0]);
  for (const character of `${path}/`) {
    if (character === "/" && current.has(places.length)) {
      return true;
    }
    const next: number[] = [];
    for (const index of current) {
      const place = places[index];
      if (place === "rest" || place === "folders" || (place === "name" && character !== "/")) {
        next.push(index);
      }
      if (place === "folders" ? character === "/" : typeof place === "function" && place(character)) {
        next.push(index + 1);
      }
    }
    current = withSkipped(places, next);
  }
  return false;
}

/** Adds the places that need no character. */
function withSkipped(places: readonly Place[], indexes: readonly number[]): ReadonlySet<number> {
  const reached = new Set(indexes);
  for (const index of reached) {
    const place = places[index];
    if (place === "name" || place === "rest" || place === "start") {
      reached.add(index + (place === "start" ? 2 : 1));
    }
    if (place === "start") {
      reached.add(index + 1);
    }
  }
  return reached;
}
