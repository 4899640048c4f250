/** A time since the start: `1.204 s`, `2:03.5`. */
export function clockTime(at: number): string {
  return at < 60_000 ? `${(at / 1000).toFixed(3)} s` : minutes(at);
}

function minutes(at: number): string {
  return `${Math.floor(at / 60_000)}:${((at % 60_000) / 1000).toFixed(1).padStart(4, "0")}`;
}

/** A time on a scale of `span` milliseconds, in the unit that suits the scale. */
export function scaleTime(at: number, span: number): string {
  return span < 1000 ? `${Math.round(at)} ms` : span < 120_000 ? `${(at / 1000).toFixed(1)} s` : minutes(at);
}

/** A duration: `0.4 ms`, `12 ms`, `1.2 s`. */
export function duration(ms: number | undefined): string {
  if (ms === undefined) {
    return "";
  }
  return ms < 10 ? `${ms.toFixed(1)} ms` : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** A size: `312 B`, `1.5 KiB`. */
export function size(bytes: number): string {
  return bytes < 1024
    ? `${bytes} B`
    : bytes < 1024 * 1024
      ? `${(bytes / 1024).toFixed(1)} KiB`
      : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
