import type { Syntax } from "./syntax.ts";

type Repeat = Extract<Syntax, { kind: "repeat" }>;

/**
 * The steps that a backtracking engine takes at most: those it takes once, and those for each place
 * of the text.
 */
export interface NativeSteps {
  readonly once: number;
  readonly perPlace: number;
}

/**
 * Maximum number of steps at one position of the text, if a backtracking engine may begin at each
 * position.
 */
const maxStepsPerPlace = 1_000;
/** Maximum number of steps, if the engine begins once. */
const maxSteps = 100_000;

/**
 * An upper bound on the steps of a backtracking engine; `undefined` if they may grow faster than
 * the text. They do not in two cases:
 * - The pattern has a bounded number of ways to match at one place.
 * - It is anchored, its repetitions of varying length repeat single characters, and only the last
 *   of them can give back what it took.
 */
export function nativeSteps(pattern: Syntax): NativeSteps | undefined {
  const [first, ...parts] = pattern.kind === "sequence" ? pattern.parts : [pattern];
  if (first?.kind !== "assert" || first.what !== "^") {
    const { steps } = costOf(pattern);
    return steps <= maxStepsPerPlace ? { once: 0, perPlace: steps } : undefined;
  }
  let once = 0;
  let perPlace = 0;
  let ways = 1;
  let givesBack = false;
  for (const [i, part] of parts.entries()) {
    if (part.kind === "repeat" && part.body.kind === "set" && varies(part)) {
      if (givesBack || ways > maxStepsPerPlace) {
        return undefined;
      }
      perPlace += ways;
      // The rest is tried again for every character that is given back.
      givesBack = !isClosed(part, parts[i + 1]);
    } else {
      const cost = costOf(part);
      const steps = ways * cost.steps;
      if (givesBack) {
        perPlace += steps;
      } else {
        once += steps;
      }
      ways *= cost.ways;
    }
    if (!(once <= maxSteps && perPlace <= maxStepsPerPlace)) {
      return undefined;
    }
  }
  return { once, perPlace };
}

/**
 * True if what follows the repetition can never be one of its own characters, so that it gives
 * nothing back.
 */
function isClosed({ body }: Repeat, next: Syntax | undefined): boolean {
  return (
    body.kind === "set" && next?.kind === "set" && next.literal !== undefined && !body.test(next.literal)
  );
}

function varies({ min, max }: Repeat): boolean {
  return max > 1 && min !== max;
}

/** The maximum cost of trying all ways to match at one place, and the number of ways. */
interface Cost {
  readonly steps: number;
  readonly ways: number;
}

function costOf(node: Syntax): Cost {
  switch (node.kind) {
    case "sequence":
      return node.parts.reduce((cost, part) => inTurn(cost, costOf(part)), { steps: 0, ways: 1 });
    case "choice": {
      const costs = node.options.map(costOf);
      return {
        steps: costs.reduce((sum, { steps }) => sum + steps, 0),
        ways: costs.reduce((sum, { ways }) => sum + ways, 0),
      };
    }
    case "repeat":
      return costOfRepeat(node);
    default:
      return { steps: 1, ways: 1 };
  }
}

function costOfRepeat(node: Repeat): Cost {
  if (varies(node)) {
    return { steps: Infinity, ways: Infinity };
  }
  const { steps, ways } = costOf(node.body);
  const { min, max } = node;
  if (max === 0) {
    return { steps: 0, ways: 1 };
  }
  if (min < max) {
    return { steps: steps + 1, ways: ways + 1 };
  }
  return { steps: ways === 1 ? steps * max : (steps * (ways ** max - 1)) / (ways - 1), ways: ways ** max };
}

function inTurn(first: Cost, second: Cost): Cost {
  return { steps: first.steps + first.ways * second.steps, ways: first.ways * second.ways };
}
