import { codePoints } from "../value/length.ts";
import type { Demand } from "./demand.ts";
import type { Growth } from "./growth.ts";
import { textMatching } from "./pattern.ts";
import { between, oneOf } from "./random.ts";
import { oddTexts, samples } from "./samples.ts";

/** Characters beyond the minimum length of a string, if nothing else decides. */
const maxExtra = 20;
const maxTries = 20;
/** Characters by chance in a long text. The rest of it is one letter. */
const maxChosen = 1_000;

/** A text that satisfies all nodes, as far as a few attempts find one. */
export function textFor(demand: Demand, { random, allowance }: Growth): string {
  const least = Math.max(0, ...demand.map(({ minLength }) => minLength ?? 0));
  const most = Math.min(Infinity, ...demand.map(({ maxLength }) => maxLength ?? Infinity));
  allowance.checkText(least);
  const formats = demand.flatMap(({ schema }) => formatOf(schema));
  const patterns = demand.flatMap(({ pattern }) => (pattern === undefined ? [] : [pattern]));
  let text = "";
  for (let tries = 0; tries < maxTries; tries++) {
    text = attempt();
    allowance.step(1 + (text.length >> 4));
    const length = codePoints(text);
    const fits = length >= least && length <= most && patterns.every(({ test }) => test(text));
    if (fits) {
      break;
    }
  }
  allowance.text(text.length);
  return text;

  function attempt(): string {
    if (formats.length > 0) {
      return oneOf(random, samples[oneOf(random, formats)] ?? oddTexts);
    }
    if (patterns.length > 0) {
      const matching = textMatching(oneOf(random, patterns).source, random, allowance);
      return matching === undefined ? anyText() : withLength(matching, least, most);
    }
    return withLength(anyText(), least, most);
  }

  function anyText(): string {
    if (random() < 0.5) {
      return oneOf(random, oddTexts);
    }
    const length = Math.min(maxChosen, between(random, least, Math.min(most, least + maxExtra)));
    return Array.from({ length }, () => String.fromCharCode(between(random, 97, 122))).join("");
  }
}

function formatOf(schema: unknown): string[] {
  const format =
    typeof schema === "object" && schema !== null && "format" in schema ? schema.format : undefined;
  return typeof format === "string" && Object.hasOwn(samples, format) ? [format] : [];
}

/** Repeats or cuts a string by characters, not by halves of surrogate pairs. */
function withLength(text: string, least: number, most: number): string {
  const characters = Array.from(text);
  if (characters.length > most) {
    return characters.slice(0, most).join("");
  }
  const missing = least - characters.length;
  return missing > 0 ? text + "a".repeat(missing) : text;
}
