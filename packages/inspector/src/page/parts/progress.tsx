import type { VNode } from "preact";

import type { Progress } from "../../wire/summary.ts";

/** How far a call is, as its server says: a bar, the share in words, and the message. */
export function ProgressBar({ progress: { progress, total, message } }: { progress: Progress }): VNode {
  const isMeasured = total !== undefined && total > 0;
  const said = isMeasured
    ? `${progress} of ${total}, ${Math.min(100, Math.round((progress / total) * 100))} %`
    : String(progress);
  return (
    <div class="progress">
      {isMeasured ? (
        <progress max={total} value={Math.max(0, Math.min(progress, total))} aria-label="Progress" />
      ) : (
        <progress aria-label="Progress" />
      )}
      <p class="facts">
        <span>{said}</span>
        {message !== undefined && <span>{message}</span>}
      </p>
    </div>
  );
}
