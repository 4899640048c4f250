import type { VNode } from "preact";
import { useRef } from "preact/hooks";

import type { Summary } from "../../wire/summary.ts";
import { addCommands } from "../commands.ts";
import { clockTime, duration, size } from "../format.ts";
import { Lanes } from "../parts/lanes.tsx";
import { Status } from "../parts/status.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { answers, filter, lines, selected, shown, state, version, view } from "../store.ts";
import { Details } from "./details.tsx";

const rowHeight = 28;

const isHere = (): boolean => view.value === "timeline";

function move(step: number): void {
  const list = shown.value.lines;
  const index = list.findIndex(({ seq }) => seq === selected.value);
  const next = index < 0 ? (step > 0 ? 0 : list.length - 1) : index + step;
  const line = list[Math.min(Math.max(next, 0), list.length - 1)];
  selected.value = line?.seq;
}

addCommands(
  { title: "Next line", keys: "j / ArrowDown", when: isHere, run: () => move(1) },
  { title: "Previous line", keys: "k / ArrowUp", when: isHere, run: () => move(-1) },
  { title: "First line", keys: "Home", when: isHere, run: () => move(-Infinity) },
  { title: "Last line", keys: "End", when: isHere, run: () => move(Infinity) },
  {
    title: "Filter the timeline",
    keys: "/",
    run: () => {
      view.value = "timeline";
      setTimeout(() => document.getElementById("filter")?.focus());
    },
  },
  {
    title: "Close the details",
    keys: "Escape",
    when: () => isHere() && selected.value !== undefined,
    run: () => void (selected.value = undefined),
  },
);

function Row({ line }: { line: Summary }): VNode {
  const { kind, to, method, subject, preview, ms, bytes, at, era, round } = line;
  const arrow = to === "server" ? "→" : to === "client" ? "←" : "·";
  const isNote = kind === "problem" || kind === "end" || kind === "http" || kind === "auth";
  return (
    <>
      <span class="at">{clockTime(at)}</span>
      <Lanes line={line} height={rowHeight} />
      <span class={`arrow ${to ?? ""}`} title={to === undefined ? "" : `to the ${to}`}>
        {arrow}
        <span class="visually-hidden">{to === undefined ? "" : `to the ${to}`}</span>
      </span>
      <span class={`kind ${kind}`}>{kind === "notification" ? "notify" : kind}</span>
      <span class="what">
        {!isNote && <span class="method">{method ?? "unknown request"}</span>}
        {subject !== undefined && <span class="subject">{subject}</span>}
        {round !== undefined && <span class="tag">round {round}</span>}
        <span class="preview">{preview === "{}" ? "" : preview}</span>
      </span>
      <span class={`era-dot ${era ?? ""}`}>{era ?? ""}</span>
      <Status line={line} />
      <span class="ms">{duration(ms)}</span>
      <span class="bytes">{size(bytes)}</span>
    </>
  );
}

/** Every message in order, with a filter and the details of the selected one. */
export function Timeline(): VNode {
  const input = useRef<HTMLInputElement>(null);
  const items = shown.value.lines;
  const count = version.value >= 0 ? lines.length : 0;
  const dropped = state.value?.dropped ?? 0;
  return (
    <div class={`timeline ${selected.value === undefined ? "" : "split"}`}>
      <section class="list" aria-label="Messages">
        <div class="toolbar">
          <input
            id="filter"
            ref={input}
            type="search"
            aria-label="Filter"
            placeholder="Filter: tool:weather status:error -method:ping"
            value={filter.value}
            onInput={(event) => {
              filter.value = event.currentTarget.value;
            }}
          />
          <p class="dim" role="status">
            {items.length === count ? `${count} lines` : `${items.length} of ${count} lines`}
            {dropped > 0 && `, ${dropped} older ones were dropped`}
          </p>
        </div>
        {count === 0 ? (
          <p class="empty">Nothing was said yet.</p>
        ) : (
          <VirtualList
            items={items}
            rowHeight={rowHeight}
            label="Messages"
            selected={selected.value}
            follows
            dependencies={({ seq }) => [answers.get(seq)]}
            onSelect={({ seq }) => {
              selected.value = seq;
            }}
          >
            {(line) => <Row line={line} />}
          </VirtualList>
        )}
      </section>
      <Details />
    </div>
  );
}
