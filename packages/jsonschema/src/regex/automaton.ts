import type { Syntax } from "./syntax.ts";

/** One state of a Thompson automaton. */
type State =
  | { readonly kind: "set"; readonly test: (point: number) => boolean; readonly next: number }
  | { readonly kind: "assert"; readonly what: "^" | "$" | "b" | "B"; readonly next: number }
  | { readonly kind: "split"; first: number; readonly second: number }
  | { readonly kind: "match" };

/** Charges for what matching takes. */
export interface Charges {
  /**
   * Number of the evaluation. Work that an evaluation has been charged for costs it nearly nothing
   * later.
   */
  readonly evaluation: number;
  spend(steps: number): void;
}

/**
 * A matcher whose time is at most states × length: it follows all alternatives at once over code
 * points and remembers the states it reaches. It is built on first use. Each text is charged.
 */
export function linearMatcher(pattern: Syntax): (text: string, charges: Charges) => boolean {
  let automaton: Automaton | undefined;
  return (text, charges) => run((automaton ??= automatonOf(pattern)), text, charges);
}

/** How many states the automaton of a pattern has, the final one aside. */
export function countStates(node: Syntax): number {
  switch (node.kind) {
    case "sequence":
      return node.parts.reduce((sum, part) => sum + countStates(part), 0);
    case "choice":
      return node.options.reduce((sum, option) => sum + countStates(option) + 1, -1);
    case "repeat": {
      const body = countStates(node.body);
      // An empty body stays empty, however often it is repeated.
      const needed = body === 0 ? 0 : node.min * body;
      return needed + (node.max === Infinity ? body + 1 : (node.max - node.min) * (body + 1));
    }
    default:
      return 1;
  }
}

interface Automaton {
  readonly states: readonly State[];
  readonly start: number;
  /** Whether a move depends on the next character being one of a word. */
  readonly words: boolean;
  /** For each state, the last search that has visited it. */
  readonly mark: Uint32Array;
  searches: number;
  /** The evaluation that matched a string last. */
  evaluation: number;
  /** How many of the cached moves it was charged for. */
  charged: number;
  /** The moves of earlier strings, if they are few. */
  moves: Moves | undefined;
}

/** The states that wait for a character, and where each character leads. */
interface Step {
  readonly waiting: readonly number[];
  readonly moves: Map<number, Move>;
}

interface Move {
  /** `null` for a match. */
  readonly to: Step | null;
  /**
   * Cost of computing the move, in work units. Each evaluation is charged for it, as if it were the
   * first.
   */
  readonly cost: number;
  /** The evaluation that was charged for it last. */
  evaluation: number;
}

interface Moves {
  /** Stands before the text. */
  readonly outset: Step;
  readonly byStates: Map<string, Step>;
  count: number;
}

/** A position in a string: between two characters, or at one of its ends. */
interface Gap {
  readonly previous: number | undefined;
  readonly point: number | undefined;
}

/**
 * If an evaluation was charged for more of the cached moves than this, all are discarded after or
 * while a text is matched. What earlier evaluations have left does not count: the same value must
 * cost the same each time.
 */
const keptMoves = 256;
const maxMoves = 10_000;

/**
 * The cost of each text, and of a visit to a state beyond a known move, in work units.
 */
const textNode = 8;
const visit = 4;

function automatonOf(pattern: Syntax): Automaton {
  const states: State[] = [{ kind: "match" }];
  const add = (state: State): number => states.push(state) - 1;

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
        } else {
          for (let i = node.min; i < node.max; i++) {
            start = add({ kind: "split", first: emit(node.body, start), second: next });
          }
        }
        for (let i = 0; i < node.min; i++) {
          const count = states.length;
          start = emit(node.body, start);
          if (states.length === count) {
            break;
          }
        }
        return start;
      }
    }
  }

  const start = emit(pattern, 0);
  const words = states.some((state) => state.kind === "assert" && (state.what === "b" || state.what === "B"));
  const mark = new Uint32Array(states.length);
  return { states, start, words, mark, searches: 0, evaluation: -1, charged: 0, moves: undefined };
}

function run(automaton: Automaton, text: string, charges: Charges): boolean {
  charges.spend(textNode);
  const { evaluation } = charges;
  let moves = movesFor(automaton, evaluation);
  automaton.moves = undefined;
  let step: Step | null = moves.outset;
  let previous: number | undefined;
  let point = text.codePointAt(0);
  let position = 0;
  for (;;) {
    // A move depends also on whether the text ends here, or a word may.
    const way = 3 * (previous ?? 0) + (point === undefined ? 0 : automaton.words && isWord(point) ? 2 : 1);
    let move: Move | undefined = step.moves.get(way);
    if (move?.evaluation === evaluation) {
      charges.spend(1);
    } else {
      if (++automaton.charged > maxMoves) {
        moves = newMoves();
        automaton.charged = 1;
        move = undefined;
      }
      if (move === undefined) {
        moves.count++;
        step.moves.set(way, (move = moveOf(automaton, moves, step, { previous, point })));
      }
      charges.spend(move.cost);
      move.evaluation = evaluation;
    }
    step = move.to;
    if (step === null || point === undefined) {
      break;
    }
    previous = point;
    position += point > 0xffff ? 2 : 1;
    point = text.codePointAt(position);
  }
  if (automaton.charged <= keptMoves) {
    automaton.moves = moves;
  }
  return step === null;
}

/**
 * The moves that are known. An evaluation begins with those that earlier ones have left, if they
 * are few.
 */
function movesFor(automaton: Automaton, evaluation: number): Moves {
  const { moves } = automaton;
  const isNew = automaton.evaluation !== evaluation;
  automaton.evaluation = evaluation;
  if (isNew || moves === undefined) {
    automaton.charged = 0;
  }
  return moves === undefined || (isNew && moves.count > keptMoves) ? newMoves() : moves;
}

function newMoves(): Moves {
  return { outset: { waiting: [], moves: new Map() }, byStates: new Map(), count: 0 };
}

/** The states that wait after a step has taken the character before the gap. */
function moveOf(automaton: Automaton, { byStates }: Moves, from: Step, gap: Gap): Move {
  const { states, start } = automaton;
  automaton.searches++;
  const waiting: number[] = [];
  let visits = reach(automaton, start, gap, waiting);
  for (const id of from.waiting) {
    const state = states[id];
    if (state?.kind !== "set" || !state.test(gap.previous as number)) {
      continue;
    }
    visits += reach(automaton, state.next, gap, waiting);
  }
  if (visits === Infinity) {
    return { to: null, cost: visit, evaluation: -1 };
  }
  const key = waiting.sort((a, b) => a - b).join();
  let to = byStates.get(key);
  if (to === undefined) {
    byStates.set(key, (to = { waiting, moves: new Map() }));
  }
  return { to, cost: visit * (visits + from.waiting.length), evaluation: -1 };
}

/**
 * Follows the ways that take no character; how many states that visits, infinitely many if a match
 * is reached.
 */
function reach(automaton: Automaton, start: number, gap: Gap, waiting: number[]): number {
  const { states, mark, searches } = automaton;
  const stack = [start];
  let visits = 0;
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (mark[id] === searches) {
      continue;
    }
    mark[id] = searches;
    visits++;
    const state = states[id];
    if (state?.kind === "match") {
      return Infinity;
    }
    if (state?.kind === "set") {
      waiting.push(id);
    } else if (state?.kind === "split") {
      stack.push(state.second, state.first);
    } else if (state?.kind === "assert" && holds(state.what, gap)) {
      stack.push(state.next);
    }
  }
  return visits;
}

function holds(what: "^" | "$" | "b" | "B", { previous, point }: Gap): boolean {
  if (what === "^") {
    return previous === undefined;
  }
  if (what === "$") {
    return point === undefined;
  }
  return (isWord(previous) !== isWord(point)) === (what === "b");
}

function isWord(point: number | undefined): boolean {
  if (point === undefined) {
    return false;
  }
  const letter = point | 32;
  return (letter > 96 && letter < 123) || (point > 47 && point < 58) || point === 95;
}
