/**
 * How many samples a property test draws: a quarter of `all`, so that every change is checked in
 * time, and all of them in `npm run test:full` (`TENON_SAMPLES=all`), which runs every night by a
 * new seed.
 */
export function samples(all: number): number {
  return process.env["TENON_SAMPLES"] === "all" ? all : Math.ceil(all / 4);
}

/** What random generators of tests start from: the same in every run, but for that of each night. */
export function seed(): number {
  return Number(process.env["TENON_SEED"] ?? 20_260_728);
}
