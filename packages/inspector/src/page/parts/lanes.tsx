import type { VNode } from "preact";

import type { Summary } from "../../wire/summary.ts";

const drawn = 6;
const step = 9;

/** The requests that are open at a line, as lanes; the line's own lane has a dot. */
export function Lanes({ line, height }: { line: Summary; height: number }): VNode {
  const { lanes, lane, kind } = line;
  const bits = lane === undefined ? lanes : lanes | (1 << lane);
  const middle = height / 2;
  return (
    <svg class="lanes" width={drawn * step} height={height} aria-hidden="true">
      {Array.from({ length: drawn }, (_, index) => {
        if ((bits & (1 << index)) === 0) {
          return null;
        }
        const x = index * step + step / 2;
        const isOwn = lane === index;
        const from = isOwn && kind === "request" ? middle : 0;
        const to = isOwn && kind === "response" ? middle : height;
        return (
          <g key={index} class={`lane-${index % 6}`}>
            <line x1={x} x2={x} y1={from} y2={to} />
            {isOwn &&
              (kind === "notification" ? (
                <circle cx={x} cy={middle} r="2" />
              ) : (
                <circle cx={x} cy={middle} r="3.5" />
              ))}
          </g>
        );
      })}
    </svg>
  );
}
