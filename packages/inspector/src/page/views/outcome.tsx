import type { VNode } from "preact";

import { duration, size } from "../format.ts";
import { LineText } from "../parts/json.tsx";
import { Status } from "../parts/status.tsx";
import { answers, attempt, belonging, lineOf, selected, state, version, view } from "../store.ts";

/** The progress notification that came last for a request. */
function progressOf(request: number): string | undefined {
  return belonging.of(request).findLast(({ method }) => method === "notifications/progress")?.subject;
}

/** What became of a call: its progress, its response or its error. */
export function Outcome({ call }: { call: string }): VNode | null {
  const found = state.value?.calls.find((one) => one.call === call);
  if (found === undefined || version.value < 0) {
    return null;
  }
  const { phase, request, error } = found;
  const answer = request === undefined ? undefined : answers.get(request);
  const progress = phase === "running" && request !== undefined ? progressOf(request) : undefined;
  const line = lineOf(answer?.seq);
  return (
    <section class="outcome" aria-label="Result" aria-busy={phase === "running"}>
      <p class="facts" role="status">
        {phase === "running" ? "Running…" : phase === "done" ? "Done" : "Failed"}
        {progress !== undefined && <span>progress {progress}</span>}
        {line !== undefined && <Status line={line} />}
        {line !== undefined && <span>{duration(line.ms)}</span>}
        {line !== undefined && <span>{size(line.bytes)}</span>}
      </p>
      {phase === "running" && (
        <button type="button" onClick={() => void attempt({ do: "cancel", call })}>
          Cancel
        </button>
      )}
      {error !== undefined && <p class="problem">{error}</p>}
      {line !== undefined && (
        <>
          <LineText seq={line.seq} raw={false} label="Result as JSON" />
          <button
            type="button"
            onClick={() => {
              selected.value = line.seq;
              view.value = "timeline";
            }}
          >
            Show in the timeline
          </button>
        </>
      )}
    </section>
  );
}
