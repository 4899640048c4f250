/** The part of a regular expression that a linear-time matcher can take (ECMA-262 §22.2.1 without look-around and back-references). */
export type Syntax =
  | { readonly kind: "set"; readonly test: (point: number) => boolean; readonly literal: number | undefined }
  | { readonly kind: "assert"; readonly what: "^" | "$" | "b" | "B" }
  | { readonly kind: "sequence"; readonly parts: readonly Syntax[] }
  | { readonly kind: "choice"; readonly options: readonly Syntax[] }
  | { readonly kind: "repeat"; readonly body: Syntax; readonly min: number; readonly max: number };

const MAX_NESTING = 200;

/** Parses a pattern that `RegExp` accepts with the `u` flag; `undefined` if it uses more than {@link Syntax} has. */
export function parsePattern(source: string): Syntax | undefined {
  const characters = Array.from(source);
  let at = 0;
  let nesting = 0;
  // Set where the pattern turns out to use more; parsing goes on to the end, its result is not used.
  let supported = true;

  function choice(): Syntax {
    if (++nesting > MAX_NESTING) {
      supported = false;
      at = characters.length;
    }
    const options = [sequence()];
    while (characters[at] === "|") {
      at++;
      options.push(sequence());
    }
    nesting--;
    return options.length === 1 && options[0] !== undefined ? options[0] : { kind: "choice", options };
  }

  function sequence(): Syntax {
    const parts: Syntax[] = [];
    while (at < characters.length && characters[at] !== "|" && characters[at] !== ")") parts.push(term());
    return { kind: "sequence", parts };
  }

  function term(): Syntax {
    let body = atom();
    for (let bounds = quantifier(); bounds !== undefined; bounds = quantifier()) {
      body = { kind: "repeat", body, min: bounds[0], max: bounds[1] };
      // Laziness does not change whether there is a match.
      if (characters[at] === "?") at++;
    }
    return body;
  }

  function quantifier(): readonly [number, number] | undefined {
    const simple = QUANTIFIERS[characters[at] ?? ""];
    if (simple !== undefined) {
      at++;
      return simple;
    }
    if (characters[at] !== "{") return undefined;
    const end = characters.indexOf("}", at);
    const [min, max] = characters
      .slice(at + 1, end)
      .join("")
      .split(",");
    at = end + 1;
    return [Number(min), max === undefined ? Number(min) : max === "" ? Infinity : Number(max)];
  }

  function atom(): Syntax {
    const character = characters[at++] ?? "";
    switch (character) {
      case "^":
      case "$":
        return { kind: "assert", what: character };
      case ".":
        return {
          kind: "set",
          test: (p) => p !== 10 && p !== 13 && p !== 0x2028 && p !== 0x2029,
          literal: undefined,
        };
      case "[":
        return set(`[${until("]")}`);
      case "(":
        return group();
      case "\\":
        return escape();
      default: {
        const literal = character.codePointAt(0) ?? 0;
        return { kind: "set", test: (point) => point === literal, literal };
      }
    }
  }

  function group(): Syntax {
    if (characters[at] === "?") {
      if (characters[at + 1] === ":") at += 2;
      else if (characters[at + 1] === "<" && characters[at + 2] !== "=" && characters[at + 2] !== "!")
        until(">");
      else supported = false;
    }
    const body = choice();
    at++;
    return body;
  }

  function escape(): Syntax {
    const character = characters[at++] ?? "";
    if (character === "b" || character === "B") return { kind: "assert", what: character };
    if (/[1-9k]/.test(character)) {
      supported = false;
      return { kind: "sequence", parts: [] };
    }
    if (character === "u" && characters[at] === "{") return set(`\\u${until("}")}`);
    if (character === "p" || character === "P") return set(`\\${character}${until("}")}`);
    const digits = character === "u" ? 4 : character === "x" ? 2 : character === "c" ? 1 : 0;
    let text = `\\${character}${take(digits)}`;
    // A pair of escaped surrogates is one character.
    if (/^\\ud[89ab]/i.test(text) && /^\\ud[c-f]/i.test(characters.slice(at, at + 4).join("")))
      text += take(6);
    const escaped = /^[^\w]$/.test(character) ? character.codePointAt(0) : undefined;
    return set(text, escaped);
  }

  function take(count: number): string {
    at += count;
    return characters.slice(at - count, at).join("");
  }

  /** The text up to and including an unescaped closing character. */
  function until(close: string): string {
    let text = "";
    while (at < characters.length) {
      const character = characters[at++] ?? "";
      text += character;
      if (character === close) break;
      if (character === "\\") text += characters[at++] ?? "";
    }
    return text;
  }

  const parsed = choice();
  return supported && at >= characters.length ? parsed : undefined;
}

const QUANTIFIERS: Readonly<Record<string, readonly [number, number]>> = {
  "*": [0, Infinity],
  "+": [1, Infinity],
  "?": [0, 1],
};

/** A single-character pattern, tested by the native engine and remembered for Latin-1. */
function set(source: string, literal?: number): Syntax {
  const regex = new RegExp(`^${source}$`, "u");
  const known = new Int8Array(256);
  return {
    kind: "set",
    literal,
    test(point) {
      if (point > 255) return regex.test(String.fromCodePoint(point));
      if (known[point] === 0) known[point] = regex.test(String.fromCodePoint(point)) ? 1 : 2;
      return known[point] === 1;
    },
  };
}
