import type { VNode } from "preact";

import type { Summary } from "../../wire/summary.ts";
import { clockTime, duration } from "../format.ts";
import { Status } from "../parts/status.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { timesOf } from "../percentiles.ts";
import { answers, lines, selected, shown, version, view } from "../store.ts";

const rowHeight = 26;

function show(line: Summary): void {
  selected.value = line.seq;
  view.value = "timeline";
}

function Bar({ line, start, span }: { line: Summary; start: number; span: number }): VNode {
  const answer = answers.get(line.seq);
  const end = answer?.at ?? lines.at(-1)?.at ?? line.at;
  const left = ((line.at - start) / span) * 100;
  const width = Math.max(0.3, ((end - line.at) / span) * 100);
  const inner = lines.slice(
    line.seq - (lines[0]?.seq ?? 1),
    (answer?.seq ?? line.seq) - (lines[0]?.seq ?? 1),
  );
  const marks = inner
    .filter(({ request, kind }) => request === line.seq && kind === "notification")
    .slice(0, 100);
  return (
    <span class="track">
      <span
        class={`bar ${answer?.outcome ?? "open"}`}
        style={{ left: `${left}%`, width: `${Math.min(width, 100 - left)}%` }}
      />
      {marks.map(({ seq, at }) => (
        <span key={seq} class="mark" style={{ left: `${((at - start) / span) * 100}%` }} />
      ))}
    </span>
  );
}

/** The requests as bars over time, and the percentiles of their durations. */
export function Waterfall(): VNode {
  const requests = shown.value.filter(({ kind }) => kind === "request");
  if (requests.length === 0 || version.value < 0) {
    return <p class="empty">Nothing was requested yet.</p>;
  }
  const start = requests[0]?.at ?? 0;
  const span = Math.max(1, (lines.at(-1)?.at ?? 0) - start);
  const times = timesOf(lines);
  return (
    <div class="waterfall">
      <section class="percentiles" aria-label="Durations" tabIndex={0}>
        <table>
          <caption>Durations by tool, prompt and resource, the slowest first</caption>
          <thead>
            <tr>
              {["name", "count", "errors", "p50", "p95", "p99", "max"].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.slice(0, 200).map(({ name, count, errors, p50, p95, p99, max }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{count}</td>
                <td class={errors > 0 ? "problem" : "dim"}>{errors}</td>
                {[p50, p95, p99, max].map((time, index) => (
                  <td key={index}>{duration(time)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="scale dim">
        <span>{clockTime(start)}</span>
        <span>{clockTime(start + span)}</span>
      </p>
      <VirtualList
        items={requests}
        rowHeight={rowHeight}
        label="Requests over time"
        keyOf={({ seq }) => seq}
        selected={selected.value}
        onSelect={show}
      >
        {(line) => (
          <>
            <span class="what">
              <span class="method">{line.method}</span> <span class="subject">{line.subject}</span>
            </span>
            <Bar line={line} start={start} span={span} />
            <Status line={line} />
            <span class="ms">{duration(answers.get(line.seq)?.ms)}</span>
          </>
        )}
      </VirtualList>
    </div>
  );
}
