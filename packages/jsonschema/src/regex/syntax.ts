/**
 * The part of a regular expression that a linear-time matcher can take (ECMA-262 §22.2.1 without
 * look-around and back-references).
 */
export type Syntax =
  | { readonly kind: "set"; readonly test: (point: number) => boolean; readonly literal: number | undefined }
  | { readonly kind: "assert"; readonly what: "^" | "$" | "b" | "B" }
  | { readonly kind: "sequence"; readonly parts: readonly Syntax[] }
  | { readonly kind: "choice"; readonly options: readonly Syntax[] }
  | { readonly kind: "repeat"; readonly body: Syntax; readonly min: number; readonly max: number };

const maxNesting = 200;

/**
 * The tokens of a pattern: escapes (a pair of escaped surrogates is one character), classes,
 * openings of groups (look-around and modifiers as far as `(?`), counted quantifiers, single
 * characters.
 */
const tokenPattern =
  /\\u[dD][89abAB].{2}\\u[dD][c-fC-F].{2}|\\(?:[pPu]\{[^}]*\}|u.{4}|x..|c.|.)|\[(?:\\.|[^\]\\])*\]|\((?:\?(?::|<(?![=!])[^>]*>)?)?|\{\d[^}]*\}|./gsu;

const quantifiers: Readonly<Record<string, readonly [number, number]>> = {
  "*": [0, Infinity],
  "+": [1, Infinity],
  "?": [0, 1],
};

/**
 * Parses a pattern that `RegExp` accepts with the `u` flag; `undefined` if it uses more than
 * {@link Syntax} has.
 */
export function parsePattern(source: string): Syntax | undefined {
  const tokens = source.match(tokenPattern) ?? [];
  const sets = new Map<string, Syntax>();
  let at = 0;

  function choice(): Syntax {
    const first = sequence();
    const options = [first];
    while (tokens[at] === "|") {
      at++;
      options.push(sequence());
    }
    return options.length === 1 ? first : { kind: "choice", options };
  }

  function sequence(): Syntax {
    const parts: Syntax[] = [];
    while (at < tokens.length && tokens[at] !== "|" && tokens[at] !== ")") {
      parts.push(term());
    }
    return { kind: "sequence", parts };
  }

  function term(): Syntax {
    let body = atom(tokens[at++] ?? "");
    for (let bounds = quantifier(); bounds !== undefined; bounds = quantifier()) {
      at++;
      body = { kind: "repeat", body, min: bounds[0], max: bounds[1] };
      // Laziness does not change whether there is a match.
      if (tokens[at] === "?") {
        at++;
      }
    }
    return body;
  }

  function quantifier(): readonly [number, number] | undefined {
    const token = tokens[at] ?? "";
    if (!token.startsWith("{")) {
      return quantifiers[token];
    }
    const [min, max = min] = token.slice(1, -1).split(",");
    return [Number(min), max === "" ? Infinity : Number(max)];
  }

  function atom(token: string): Syntax {
    if (token === "^" || token === "$") {
      return { kind: "assert", what: token };
    }
    if (token === "\\b" || token === "\\B") {
      return { kind: "assert", what: token === "\\b" ? "b" : "B" };
    }
    if (token.startsWith("(")) {
      const body = choice();
      at++;
      return body;
    }
    if (token === ".") {
      return { kind: "set", test: isNoLineEnd, literal: undefined };
    }
    if (/^(?:\[|\\\w)/.test(token)) {
      let known = sets.get(token);
      if (known === undefined) {
        sets.set(token, (known = set(token)));
      }
      return known;
    }
    // A literal or an escaped character.
    const literal = token.replace("\\", "").codePointAt(0);
    return { kind: "set", test: (point) => point === literal, literal };
  }

  return isSupported(tokens) ? choice() : undefined;
}

/**
 * True without look-around, modifiers and back-references, and unless groups are nested too deep to
 * descend into them.
 */
function isSupported(tokens: readonly string[]): boolean {
  let nesting = 0;
  return tokens.every((token) => {
    if (token.startsWith("(")) {
      nesting++;
    }
    if (token === ")") {
      nesting--;
    }
    return nesting <= maxNesting && !/^(?:\(\?|\\[1-9k])$/.test(token);
  });
}

function isNoLineEnd(point: number): boolean {
  return point !== 10 && point !== 13 && point !== 0x2028 && point !== 0x2029;
}

/**
 * A single-character pattern, tested by the native engine and remembered for Latin-1. A pattern may
 * have very many that are never tested.
 */
function set(source: string): Syntax {
  let regex: RegExp | undefined;
  let known: Int8Array | undefined;
  const ask = (point: number): boolean =>
    (regex ??= new RegExp(`^${source}$`, "u")).test(String.fromCodePoint(point));
  return {
    kind: "set",
    literal: undefined,
    test(point) {
      if (point > 255) {
        return ask(point);
      }
      known ??= new Int8Array(256);
      if (known[point] === 0) {
        known[point] = ask(point) ? 1 : 2;
      }
      return known[point] === 1;
    },
  };
}
