import { parsePattern, type Syntax } from "../regex/syntax.ts";
import type { Allowance } from "./allowance.ts";
import { between, oneOf, type Random } from "./random.ts";

/** Repetitions beyond the least number; more would only make strings long. */
const maxExtra = 4;
const maxLength = 10_000;

/** Characters to try for a class, the readable ones first. */
const candidates = Array.from(
  "abcxyzABCXYZ0123456789_-. /:@,;+*()[]{}<>!?#$%&'\"=~^|\\`\t\néßñ中文字あ한🙂🇫\u00a0\u200b\u2028",
  (character) => character.codePointAt(0) ?? 0,
);

/**
 * A text that matches a regular expression as `pattern` does, or `undefined` if the expression has
 * look-around or back-references. Assertions inside of the text are ignored, so the text may fail
 * to match: check it.
 *
 * @throws `Exhausted` if no steps are left.
 */
export function textMatching(source: string, random: Random, allowance: Allowance): string | undefined {
  allowance.step(source.length >> 3);
  const syntax = parsePattern(source);
  if (syntax === undefined) {
    return undefined;
  }
  const parts: string[] = [];
  let length = 0;
  /** Characters of classes without any of the candidates. */
  const rare = new Map<Syntax, number | undefined>();

  function write(node: Syntax): void {
    allowance.step(1);
    if (length > maxLength) {
      return;
    }
    if (node.kind === "set") {
      const point = node.literal ?? characterOf(node);
      if (point !== undefined) {
        parts.push(String.fromCodePoint(point));
        length++;
      }
    } else if (node.kind === "sequence") {
      node.parts.forEach(write);
    } else if (node.kind === "choice") {
      write(oneOf(random, node.options));
    } else if (node.kind === "repeat") {
      const most = Math.min(node.max, node.min + maxExtra);
      for (let left = between(random, node.min, most); left > 0 && length <= maxLength; left--) {
        write(node.body);
      }
    }
  }

  function characterOf(node: Syntax & { readonly kind: "set" }): number | undefined {
    const { test } = node;
    const start = between(random, 0, candidates.length - 1);
    for (let index = 0; index < candidates.length; index++) {
      const point = candidates[(start + index) % candidates.length] as number;
      if (test(point)) {
        return point;
      }
    }
    // A class without any of the candidates, such as \p{Script=Thai}.
    if (!rare.has(node)) {
      let point = 0;
      while (point < 0x3_000 && !test(point)) {
        point++;
      }
      allowance.step(point >> 4);
      rare.set(node, point < 0x3_000 ? point : undefined);
    }
    return rare.get(node);
  }

  write(syntax);
  return parts.join("");
}
