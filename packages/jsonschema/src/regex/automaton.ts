import { LimitReached } from "../ir/meter.ts";
import type { Syntax } from "./syntax.ts";

/** One state of a Thompson automaton. */
type State =
  | { readonly kind: "set"; readonly test: (point: number) => boolean; readonly next: number }
  | { readonly kind: "assert"; readonly what: "^" | "$" | "b" | "B"; readonly next: number }
  | { readonly kind: "split"; first: number; readonly second: number }
  | { readonly kind: "match" };

const MAX_STATES = 5_000;
const MAX_WORK = 50_000_000;

/**
 * A matcher whose time is at most states × length: all alternatives are followed at once over code points.
 * `undefined` if the pattern needs more than 5000 states.
 *
 * The matcher throws {@link LimitReached} where states × length would exceed 50 million.
 */
export function linearMatcher(pattern: Syntax): ((text: string) => boolean) | undefined {
  const states: State[] = [];

  function add(state: State): number {
    if (states.length >= MAX_STATES) throw new TooLarge();
    return states.push(state) - 1;
  }

  /** Adds the states of a pattern in front of `next`; returns where it starts. */
  function emit(node: Syntax, next: number): number {
    switch (node.kind) {
      case "set":
        return add({ kind: "set", test: node.test, next });
      case "assert":
        return add({ kind: "assert", what: node.what, next });
      case "sequence":
        return node.parts.reduceRight((after, part) => emit(part, after), next);
      case "choice":
        return node.options
          .map((option) => emit(option, next))
          .reduceRight((second, first) => add({ kind: "split", first, second }));
      default: {
        let start = next;
        if (node.max === Infinity) {
          const loop: State = { kind: "split", first: 0, second: next };
          start = add(loop);
          loop.first = emit(node.body, start);
        } else
          for (let i = node.min; i < node.max; i++)
            start = add({ kind: "split", first: emit(node.body, start), second: next });
        for (let i = 0; i < node.min; i++) {
          const count = states.length;
          start = emit(node.body, start);
          // What takes nothing takes nothing however often it stands there.
          if (states.length === count) break;
        }
        return start;
      }
    }
  }

  try {
    const start = emit(pattern, add({ kind: "match" }));
    return (text) => run(states, start, text);
  } catch (error) {
    if (error instanceof TooLarge) return undefined;
    throw error;
  }
}

class TooLarge extends Error {}

function run(states: readonly State[], start: number, text: string): boolean {
  if (states.length * text.length > MAX_WORK) throw new LimitReached("maxSteps");
  const mark = new Uint32Array(states.length);
  const stack: number[] = [];
  let generation = 1;
  let current: number[] = [];
  let following: number[] = [];
  let previous: number | undefined;
  let position = 0;
  let point = text.codePointAt(0);

  /** Follows the moves that take no character; true if a match is reached. */
  function reach(from: number, list: number[]): boolean {
    stack.push(from);
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if (mark[id] === generation) continue;
      mark[id] = generation;
      const state = states[id];
      if (state?.kind === "match") return true;
      if (state?.kind === "set") list.push(id);
      else if (state?.kind === "split") stack.push(state.second, state.first);
      else if (state?.kind === "assert" && holds(state.what)) stack.push(state.next);
    }
    return false;
  }

  function holds(what: "^" | "$" | "b" | "B"): boolean {
    if (what === "^") return position === 0;
    if (what === "$") return point === undefined;
    return (isWord(previous) !== isWord(point)) === (what === "b");
  }

  if (reach(start, current)) return true;
  while (point !== undefined) {
    const taken: number = point;
    position += taken > 0xffff ? 2 : 1;
    previous = taken;
    point = text.codePointAt(position);
    generation++;
    following.length = 0;
    for (const id of current) {
      const state = states[id];
      if (state?.kind === "set" && state.test(taken) && reach(state.next, following)) return true;
    }
    if (reach(start, following)) return true;
    [current, following] = [following, current];
  }
  return false;
}

function isWord(point: number | undefined): boolean {
  return point !== undefined && /^\w$/.test(String.fromCodePoint(point));
}
