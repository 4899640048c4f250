/**
 * How many samples a property test draws: a quarter of `all`, so that every change is checked in
 * time, and all of them in `npm run test:full` (`TENON_SAMPLES=all`), which runs every night by a
 * new seed.
 */
export function samples(all: number): number {
  return process.env["TENON_SAMPLES"] === "all" ? all : Math.ceil(all / 4);
}
