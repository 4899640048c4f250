import type { Summary } from "../wire/summary.ts";
import { parseFilter, type Matches } from "./filter.ts";
import { indexOfSeq } from "./seq-index.ts";

/** The lines that a filter shows, in order. The lists themselves change when lines are added. */
export interface ShownLines {
  readonly lines: readonly Summary[];
  /** The requests among them. */
  readonly requests: readonly Summary[];
}

/** The lines that a filter shows. Lines that have not changed are not compared again. */
export interface Shown {
  /**
   * The lines that `filter` shows, in a new object.
   *
   * @param lines - All lines, in order. Lines are added at the end, and removed before a call of
   *   {@link drop}.
   * @param server - The server whose lines are shown, besides lines of no server. By default all
   *   lines are.
   */
  of(
    filter: string,
    lines: readonly Summary[],
    answers: ReadonlyMap<number, Summary>,
    server?: string,
  ): ShownLines;
  /** Forgets lines that were removed, in order. */
  drop(dropped: readonly Summary[]): void;
  clear(): void;
}

/** The requests that a line ends. */
function endedBy({ kind, request, ends = [] }: Summary): readonly number[] {
  return kind === "response" && request !== undefined ? [request] : ends;
}

/** Removes items from a list, both in order. */
function remove(list: Summary[], removed: readonly Summary[]): void {
  let next = 0;
  let kept = 0;
  let seen = 0;
  for (const item of list) {
    while ((removed[next]?.seq ?? Infinity) < item.seq) {
      next++;
    }
    if (next === removed.length) {
      break;
    }
    seen++;
    if (removed[next] !== item) {
      list[kept++] = item;
    }
  }
  list.splice(kept, seen - kept);
}

/** Creates a filter that has seen no lines. */
export function createShown(): Shown {
  let text = "";
  let scope: string | undefined;
  let matches: Matches = parseFilter("");
  /** The number of the last line that was compared. */
  let seen = 0;
  let found: Summary[] = [];
  let requests: Summary[] = [];

  function clear(): void {
    seen = 0;
    found = [];
    requests = [];
  }

  /** A response can change whether its request is shown, by `status:` and `ms:`. */
  function review(request: Summary, answer: Summary): void {
    const isWanted = matches(request, answer);
    for (const list of [found, requests]) {
      const at = indexOfSeq(list, request.seq);
      const isShown = list[at]?.seq === request.seq;
      if (isShown !== isWanted) {
        list.splice(at, isShown ? 1 : 0, ...(isShown ? [] : [request]));
      }
    }
  }

  return {
    of(filter, lines, answers, server) {
      if (filter !== text || server !== scope) {
        text = filter;
        scope = server;
        const passes = parseFilter(filter);
        matches =
          server === undefined
            ? passes
            : (line, answer) => (line.server === undefined || line.server === server) && passes(line, answer);
        clear();
      }
      const from = seen + 1;
      const dependsOnAnswers = /(?:status|ms):/i.test(filter);
      for (let at = indexOfSeq(lines, from); at < lines.length; at++) {
        const line = lines[at];
        if (line === undefined) {
          continue;
        }
        seen = line.seq;
        if (matches(line, answers.get(line.seq))) {
          found.push(line);
          if (line.kind === "request") {
            requests.push(line);
          }
        }
        for (const request of dependsOnAnswers ? endedBy(line) : []) {
          const asked = request >= from ? undefined : lines[indexOfSeq(lines, request)];
          if (asked?.seq === request) {
            review(asked, answers.get(request) ?? line);
          }
        }
      }
      return { lines: found, requests };
    },
    drop(dropped) {
      remove(found, dropped);
      remove(requests, dropped);
    },
    clear,
  };
}
