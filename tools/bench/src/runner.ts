import { median } from "./stats.ts";

/** What one sample found, by metric: nanoseconds per call, calls per second, bytes per call, … */
export type Metrics = Readonly<Record<string, number>>;

/** One candidate doing one piece of work. */
export interface Subject {
  /** Who does the work. */
  readonly candidate: string;
  /** Which work, the same for all candidates that are compared. */
  readonly work: string;
  /** Takes one sample, some milliseconds long. It throws when an answer is wrong. */
  sample(): Metrics | Promise<Metrics>;
}

/** The samples of one metric of one subject, one for each round. */
export interface Measurement {
  readonly candidate: string;
  readonly work: string;
  readonly metric: string;
  readonly samples: readonly number[];
  readonly median: number;
  readonly min: number;
}

/** How {@link interleave} runs. */
export interface RunOptions {
  /** Counted rounds; default 7. */
  readonly rounds?: number | undefined;
  /** Rounds before, not counted, in which code is compiled and caches fill; default 1. */
  readonly warmups?: number | undefined;
  /** Called before each round, from `1 - warmups` to `rounds`. */
  readonly onRound?: ((round: number, rounds: number) => void) | undefined;
}

/**
 * Takes one sample of each subject in every round, so that whatever disturbs the machine disturbs
 * all alike. The direction changes from round to round: nobody always runs after the same
 * neighbour.
 *
 * @throws what a sample throws: a wrong answer ends the run
 */
export async function interleave(
  subjects: readonly Subject[],
  options: RunOptions = {},
): Promise<Measurement[]> {
  const { rounds = 7, warmups = 1, onRound } = options;
  const samples = new Map<Subject, Map<string, number[]>>(subjects.map((subject) => [subject, new Map()]));
  for (let round = 1 - warmups; round <= rounds; round++) {
    onRound?.(round, rounds);
    for (const subject of round % 2 === 0 ? subjects.toReversed() : subjects) {
      const metrics = await subject.sample();
      if (round < 1) {
        continue;
      }
      for (const [metric, value] of Object.entries(metrics)) {
        const list = samples.get(subject)?.get(metric);
        if (list === undefined) {
          samples.get(subject)?.set(metric, [value]);
        } else {
          list.push(value);
        }
      }
    }
  }
  return [...samples].flatMap(([{ candidate, work }, metrics]) =>
    [...metrics].map(([metric, list]) => ({
      candidate,
      work,
      metric,
      samples: list,
      median: median(list),
      min: Math.min(...list),
    })),
  );
}

/** The measurement of a candidate, if there is one. */
export function find(
  measurements: readonly Measurement[],
  key: { readonly candidate: string; readonly work: string; readonly metric: string },
): Measurement | undefined {
  return measurements.find(
    ({ candidate, work, metric }) =>
      candidate === key.candidate && work === key.work && metric === key.metric,
  );
}

/**
 * How many times the baseline a measurement is: the median over the rounds of the ratio within the
 * round.
 */
export function ratio(measurement: Measurement, baseline: Measurement): number {
  return median(measurement.samples.map((sample, round) => sample / (baseline.samples[round] ?? Number.NaN)));
}
