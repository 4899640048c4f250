import type { Summary } from "../wire/summary.ts";
import { parseFilter, type Matches } from "./filter.ts";

/** The lines that a filter shows. Lines that have not changed are not compared again. */
export interface Shown {
  /**
   * The lines that `filter` shows, in order. A new array for every change.
   *
   * @param lines - All lines, in order. Lines are only added, until {@link clear}.
   */
  of(filter: string, lines: readonly Summary[], answers: ReadonlyMap<number, Summary>): readonly Summary[];
  clear(): void;
}

/** Creates a filter that has seen no lines. */
export function createShown(): Shown {
  let text = "";
  let matches: Matches = parseFilter("");
  let seen = 0;
  let found: Summary[] = [];

  /** A response can change whether its request is shown, by `status:` and `ms:`. */
  function review(request: Summary, answer: Summary): void {
    let low = 0;
    let high = found.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((found[middle]?.seq ?? 0) < request.seq) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    const isShown = found[low]?.seq === request.seq;
    if (isShown !== matches(request, answer)) {
      found.splice(low, isShown ? 1 : 0, ...(isShown ? [] : [request]));
    }
  }

  return {
    of(filter, lines, answers) {
      if (filter !== text) {
        text = filter;
        matches = parseFilter(filter);
        seen = 0;
        found = [];
      }
      if (seen === lines.length) {
        return found;
      }
      const first = lines[0]?.seq ?? 0;
      const from = lines[seen]?.seq ?? 0;
      const dependsOnAnswers = /(?:status|ms):/i.test(filter);
      found = found.slice();
      for (; seen < lines.length; seen++) {
        const line = lines[seen];
        if (line === undefined) {
          continue;
        }
        if (matches(line, answers.get(line.seq))) {
          found.push(line);
        }
        const { request } = line;
        const asked = request === undefined || request >= from ? undefined : lines[request - first];
        if (dependsOnAnswers && line.kind === "response" && asked !== undefined) {
          review(asked, line);
        }
      }
      return found;
    },
    clear() {
      seen = 0;
      found = [];
    },
  };
}
