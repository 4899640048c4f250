import { configureGlobal } from "fast-check";

/**
 * Property tests draw the same cases in every run, so that a red run means that the code changed.
 * New cases are drawn with `TENON_SEED=random` or any integer, as the scheduled workflow does.
 */
const wanted = process.env["TENON_SEED"] ?? "20260728";

if (wanted !== "random") {
  configureGlobal({ seed: Number(wanted) });
}
