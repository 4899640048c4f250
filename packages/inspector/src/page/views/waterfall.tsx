import type { VNode } from "preact";

import type { Summary } from "../../wire/summary.ts";
import { statusOf } from "../filter.ts";
import { duration, scaleTime } from "../format.ts";
import { FilterBar, NothingMatches } from "../parts/filter-bar.tsx";
import { Status } from "../parts/status.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import {
  answers,
  belonging,
  filter,
  lines,
  selected,
  showLine,
  shown,
  slowVersion,
  times,
  version,
} from "../store.ts";
import { NoMessages } from "./no-messages.tsx";

const rowHeight = 26;

/** The phases of a request, in order, with their meanings. */
const phases = [
  ["queued", "waits in the inspector until it is sent"],
  ["waiting", "sent, until the head of the HTTP response or the first message"],
  ["receiving", "from then until the result"],
] as const;

/** A part of a bar. */
interface Part {
  readonly phase: (typeof phases)[number][0];
  readonly from: number;
  readonly to: number;
}

/** The phases of a request, on the scale of the timeline. A request without a response waits. */
function partsOf(line: Summary, answer: Summary | undefined, now: number): readonly Part[] {
  const end = answer?.at ?? now;
  const first = Math.min(end, line.at + (answer?.firstByte ?? end - line.at));
  const parts: readonly Part[] = [
    { phase: "queued", from: line.at - (answer?.queued ?? 0), to: line.at },
    { phase: "waiting", from: line.at, to: first },
    { phase: "receiving", from: first, to: end },
  ];
  return parts.filter(({ phase, from, to }) => to > from || phase === "waiting");
}

/** How long a request took until its response, or until it was given up. */
function timeOf({ at }: Summary, end: Summary | undefined): number | undefined {
  return end === undefined ? undefined : end.kind === "response" ? end.ms : end.at - at;
}

function Bar({ line, start, span }: { line: Summary; start: number; span: number }): VNode {
  const answer = answers.get(line.seq);
  const place = (at: number): number => Math.min(100, Math.max(0, ((at - start) / span) * 100));
  const parts = partsOf(line, answer, start + span);
  const marks = belonging.of(line.seq).filter(({ kind }) => kind === "notification");
  const said = parts.map(({ phase, from, to }) => `${phase} ${duration(to - from)}`).join(", ");
  return (
    <span class="track" title={said}>
      <span class="visually-hidden">{said}</span>
      {parts.map(({ phase, from, to }) => (
        <span
          key={phase}
          class={`bar ${statusOf(line, answer)} ${phase}`}
          style={{ left: `${place(from)}%`, width: `${Math.max(0.15, place(to) - place(from))}%` }}
        />
      ))}
      {marks.map(({ seq, at }) => (
        <span key={seq} class="mark" style={{ left: `${place(at)}%` }} />
      ))}
    </span>
  );
}

/** A time that grows in steps, so that bars move rarely while messages arrive. */
function spanOf(ms: number): number {
  const step = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, ms))) - 5);
  return Math.max(1, Math.ceil(ms / step) * step);
}

/** How many requests of one kind make its percentiles worth their space. */
const enough = 5;

/** The percentiles; folded until there are enough requests for them. */
function Percentiles(): VNode | null {
  const rows = slowVersion.value < 0 ? [] : times().read();
  return (
    <details class="percentiles" open={rows.some(({ count }) => count >= enough)}>
      <summary>Durations</summary>
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
          {rows.slice(0, 200).map(({ name, count, errors, p50, p95, p99, max }) => (
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
    </details>
  );
}

/** The requests as bars over time, and the percentiles of their durations. */
export function Waterfall(): VNode {
  const { requests } = shown.value;
  const first = requests[0];
  if (first === undefined || version.value < 0) {
    return (
      <div class="waterfall">
        <FilterBar />
        {filter.value.trim() === "" ? <NoMessages /> : <NothingMatches what="request" />}
      </div>
    );
  }
  const start = first.at - (answers.get(first.seq)?.queued ?? 0);
  const span = spanOf((lines.at(-1)?.at ?? 0) - start);
  return (
    <div class="waterfall">
      <FilterBar />
      <Percentiles />
      <ul class="legend" aria-label="Phases of a request">
        {phases.map(([phase, meaning]) => (
          <li key={phase}>
            <span class={`sample bar ok ${phase}`} aria-hidden="true" /> {phase}
            <span class="dim"> {meaning}</span>
          </li>
        ))}
      </ul>
      <div class="of-scale">
        <p class="scale dim">
          <span>{scaleTime(start, start + span)}</span>
          <span>{scaleTime(start + span, start + span)}</span>
        </p>
      </div>
      <VirtualList
        items={requests}
        rowHeight={rowHeight}
        label="Requests over time"
        selected={selected.value}
        onSelect={({ seq }) => showLine(seq)}
        dependencies={({ seq }) => [answers.get(seq), belonging.of(seq).length, start, span]}
      >
        {(line) => (
          <>
            <span class="what">
              <span class="method">{line.method}</span> <span class="subject">{line.subject}</span>
            </span>
            <Bar line={line} start={start} span={span} />
            <Status line={line} answer={answers.get(line.seq)} />
            <span class="ms">{duration(timeOf(line, answers.get(line.seq)))}</span>
          </>
        )}
      </VirtualList>
    </div>
  );
}
