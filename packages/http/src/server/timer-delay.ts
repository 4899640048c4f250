/**
 * The longest delay that platforms support, 25 days. They treat longer delays, including
 * `Infinity`, as 1 ms.
 */
const longest = 0x7fff_ffff;

/** A delay as timers take it: at most 25 days. @param ms - `Infinity` is as good as never. */
export function timerDelay(ms: number): number {
  return Math.min(ms, longest);
}
