import { integerBit, numberBit } from "../value/type.ts";
import type { Demand } from "./demand.ts";
import { between, oneOf, type Random } from "./random.ts";

/** Values are chosen within this distance of a limit, or of 0 if there is none. */
const reach = 1_000;

/** A number within the limits of all nodes, often one of the limits themselves. */
export function numberFor(demand: Demand, types: number, random: Random): number {
  const isWhole = (types & numberBit) === 0 || ((types & integerBit) !== 0 && random() < 0.5);
  const step = stepOf(demand, isWhole);
  const { least, most } = rangeOf(demand, step ?? Number.MIN_VALUE);
  const low = Number.isFinite(least)
    ? least
    : Math.min(Number.isFinite(most) ? most : reach, reach) - 2 * reach;
  const high = Number.isFinite(most) ? most : Math.max(low, -reach) + 2 * reach;
  if (step === undefined) {
    return oneOf(random, [
      low,
      high,
      low + (high - low) * random(),
      clamp(0, low, high),
      clamp(0.5, low, high),
    ]);
  }
  const [first, last] = [Math.ceil(low / step), Math.floor(high / step)];
  const times = oneOf(random, [first, last, clamp(0, first, last), between(random, first, last)]);
  // Dividing by the inverse keeps 3 × 0.1 from becoming 0.30000000000000004.
  const inverse = 1 / step;
  return Number.isInteger(inverse) ? times / inverse : times * step;
}

function stepOf(demand: Demand, isWhole: boolean): number | undefined {
  const steps = demand.flatMap(({ multipleOf }) => (multipleOf === undefined ? [] : [multipleOf]));
  if (isWhole) {
    steps.push(1);
  }
  return steps.length === 0 ? undefined : steps.reduce(commonMultiple);
}

/** The least common multiple, for steps of which one divides the other, or that are whole. */
function commonMultiple(left: number, right: number): number {
  const [small, large] = left < right ? [left, right] : [right, left];
  if (Number.isInteger(large / small)) {
    return large;
  }
  if (!Number.isInteger(small) || !Number.isInteger(large)) {
    return large * small;
  }
  let [divisor, rest] = [large, small];
  while (rest !== 0) {
    [divisor, rest] = [rest, divisor % rest];
  }
  return (large / divisor) * small;
}

function rangeOf(demand: Demand, step: number): { readonly least: number; readonly most: number } {
  let least = -Infinity;
  let most = Infinity;
  for (const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } of demand) {
    least = Math.max(least, minimum ?? least, above(exclusiveMinimum, step) ?? least);
    most = Math.min(most, maximum ?? most, under(exclusiveMaximum, step) ?? most);
  }
  return { least, most };
}

function above(limit: number | undefined, step: number): number | undefined {
  return limit === undefined ? undefined : limit + Math.max(step, Math.abs(limit) * 1e-9, 1e-9);
}

function under(limit: number | undefined, step: number): number | undefined {
  return limit === undefined ? undefined : limit - Math.max(step, Math.abs(limit) * 1e-9, 1e-9);
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
