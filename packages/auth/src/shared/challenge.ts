export { formatChallenge } from "@tenon/http/server";

/** One challenge of a `WWW-Authenticate` header. */
export interface Challenge {
  /** The authentication scheme in lower case, such as `bearer` or `dpop`. */
  readonly scheme: string;
  /** The value of a challenge without parameters, such as for `Negotiate`. */
  readonly token68?: string | undefined;
  /** The parameters, by their names in lower case. If a name is repeated, its last value counts. */
  readonly parameters: ReadonlyMap<string, string>;
  /** The names that are repeated, in lower case. */
  readonly repeated: readonly string[];
}

/** Maximum length of a header that is read, in characters. */
const maxLength = 8192;
const maxChallenges = 16;

const alphanumeric = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
/** `tchar` of RFC 9110 §5.6.2. */
const tokenCharacters: ReadonlySet<string> = new Set(`${alphanumeric}!#$%&'*+-.^_\`|~`);
/** The characters of `token68` (RFC 9110 §11.2) before its padding. */
const token68Characters: ReadonlySet<string> = new Set(`${alphanumeric}-._~+/`);

/**
 * Reads a `WWW-Authenticate` header by the grammar of RFC 9110 §11, in linear time. Several lines
 * are joined by commas first, as `Headers.get` does. A malformed part is left out; the challenges
 * and parameters around it are kept.
 *
 * @returns At most 16 challenges. Empty for a header of more than 8192 characters.
 * @source RFC 9110 §11.6.1
 */
export function parseChallenges(header: string | undefined): readonly Challenge[] {
  const text = header === undefined || header.length > maxLength ? "" : header;
  const found: Challenge[] = [];
  let current: { parameters: Map<string, string>; repeated: string[] } | undefined;
  let at = 0;

  const run = (accepted: ReadonlySet<string>): string => {
    const start = at;
    while (at < text.length && accepted.has(text.charAt(at))) {
      at++;
    }
    return text.slice(start, at);
  };
  const isSpace = (): boolean => text[at] === " " || text[at] === "\t";
  const skipSpace = (): void => {
    while (isSpace()) {
      at++;
    }
  };
  const isAtEnd = (): boolean => at >= text.length || text[at] === ",";

  /** The value of `name=value`, or `undefined` if it is malformed. */
  function readValue(): string | undefined {
    if (text[at] !== '"') {
      const value = run(tokenCharacters);
      return value !== "" && (isAtEnd() || isSpace()) ? value : undefined;
    }
    let value = "";
    for (at++; at < text.length; at++) {
      const character = text.charAt(at);
      if (character === '"') {
        at++;
        return value;
      }
      if (character === "\\") {
        at++;
      }
      value += text.charAt(at);
    }
    return undefined;
  }

  function readToken68(): string | undefined {
    const start = at;
    run(token68Characters);
    const length = at - start;
    while (text[at] === "=") {
      at++;
    }
    const value = text.slice(start, at);
    skipSpace();
    if (length > 0 && isAtEnd()) {
      return value;
    }
    at = start;
    return undefined;
  }

  while (at < text.length) {
    skipSpace();
    const name = run(tokenCharacters).toLowerCase();
    const isSpaced = isSpace();
    skipSpace();
    if (name !== "" && text[at] === "=" && current !== undefined) {
      at++;
      skipSpace();
      const value = readValue();
      if (value !== undefined) {
        if (current.parameters.has(name)) {
          current.repeated.push(name);
        }
        current.parameters.set(name, value);
        continue;
      }
    } else if (name !== "" && (isSpaced || isAtEnd())) {
      if (found.length === maxChallenges) {
        break;
      }
      current = { parameters: new Map(), repeated: [] };
      found.push({ scheme: name, token68: isSpaced ? readToken68() : undefined, ...current });
      continue;
    }
    // The separator, or something that is malformed up to the next one.
    while (!isAtEnd()) {
      at++;
    }
    at++;
  }
  return found;
}
