import { judge, type Leg, type Verdict } from "./judge.ts";

/** How many scenarios of a leg are tried again. More failures have no cause in the machine. */
const maxTries = 3;

/**
 * Runs the failing scenarios of a leg once more, one at a time. The suite waits for some responses
 * for 500 ms and no longer, and on a busy machine a correct server misses that. A scenario that
 * fails again stays failed, and what was tried again is said in the notes.
 *
 * @param run - Runs one scenario as the leg has run it: in the same protocol version, with the same
 *   options. Both runs are judged by {@link judge} with the same leg.
 */
export async function tryAgain(
  first: Verdict,
  folder: string,
  leg: Leg,
  run: (scenario: string, folder: string) => Promise<boolean>,
): Promise<Verdict> {
  if (first.failing.length === 0 || first.failing.length > maxTries) {
    return first;
  }
  let verdict = first;
  for (const [index, scenario] of first.failing.entries()) {
    const own = `${folder}-again-${index}`;
    const hasRun = await run(scenario, own);
    const again = await judge(scenario, own, { ...leg, failed: hasRun ? [] : [scenario] });
    if (again.passed === 1 && again.problems.length === 0) {
      const isOfScenario = (problem: string): boolean => problem.startsWith(`${scenario}: `);
      const before = verdict.problems.filter(isOfScenario);
      verdict = {
        ...verdict,
        passed: Math.min(verdict.total, verdict.passed + 1),
        checks: verdict.checks - (first.checksOf.get(scenario) ?? 0) + again.checks,
        problems: verdict.problems.filter((problem) => !isOfScenario(problem)),
        failing: verdict.failing.filter((one) => one !== scenario),
        notes: [...verdict.notes, `passed at the second try. ${before.join("; ")}`],
      };
    }
  }
  return verdict;
}
