/** Words of a name in Pascal case: `create_issue` becomes `CreateIssue`. */
export function pascalCase(name: string): string {
  return wordsOf(name)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
}

/** Words of a name in camel case: `create_issue` becomes `createIssue`. */
export function camelCase(name: string): string {
  const pascal = pascalCase(name);
  return /^[A-Z]+$/.test(pascal) ? pascal.toLowerCase() : pascal.charAt(0).toLowerCase() + pascal.slice(1);
}

/** Returns each name once. */
export interface Names {
  /**
   * Returns the name, with a number if it is taken. @param fallback - Used if nothing of the name
   * can be part of an identifier.
   */
  take(name: string, fallback: string): string;
}

/** Maximum length of a name, in characters. */
const maxLength = 80;

/** Creates {@link Names}. @param reserved - Names that are not given. */
export function createNames(reserved: Iterable<string> = []): Names {
  const taken = new Set(reserved);
  /** The last number of each name, so that many equal names do not take quadratic time. */
  const numbers = new Map<string, number>();
  return {
    take(name, fallback) {
      const base = /^[A-Za-z]/.test(name)
        ? name.slice(0, maxLength)
        : `${fallback}${name}`.slice(0, maxLength);
      let number = numbers.get(base) ?? 1;
      let given = base;
      while (taken.has(given)) {
        given = `${base}${++number}`;
      }
      numbers.set(base, number);
      taken.add(given);
      return given;
    },
  };
}

function wordsOf(name: string): readonly string[] {
  return name.split(/[^A-Za-z0-9]+/).filter(Boolean);
}
