import type { VNode } from "preact";

import type { Summary } from "../../wire/summary.ts";
import { clockTime } from "../format.ts";
import { Status } from "../parts/status.tsx";
import { answers, showLine } from "../store.ts";

/** Lines that open in the timeline. */
export function Lines({ items, label }: { items: readonly Summary[]; label: string }): VNode {
  return (
    <ul class="related" aria-label={label}>
      {items.map((line) => (
        <li key={line.seq}>
          <button type="button" onClick={() => showLine(line.seq)}>
            <span class="at">{clockTime(line.at)}</span>
            <span>{line.to === "server" ? "→" : line.to === "client" ? "←" : "·"}</span>
            <span class={`kind ${line.kind}`}>{line.kind}</span>
            <span class="preview">
              {line.method ?? ""} {line.subject ?? ""} {line.preview}
            </span>
            <Status line={line} answer={answers.get(line.seq)} />
          </button>
        </li>
      ))}
    </ul>
  );
}
