/**
 * How many samples a property test draws: a quarter of `all`, so that every change is checked in
 * time, and all of them in `npm run test:full` (`TENON_SAMPLES=all`), which runs every night by a
 * new seed.
 */
export function samples(all: number): number {
  return process.env["TENON_SAMPLES"] === "all" ? all : Math.ceil(all / 4);
}

/** The seed of random generators in tests: always the same, except in the run of each night. */
export function seed(): number {
  return Number(process.env["TENON_SEED"] ?? 20_260_728);
}
