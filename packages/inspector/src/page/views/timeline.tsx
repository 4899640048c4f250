import type { VNode } from "preact";

import type { Summary } from "../../wire/summary.ts";
import { addCommands } from "../commands.ts";
import { clockTime, duration, size } from "../format.ts";
import { FilterBar, NothingMatches } from "../parts/filter-bar.tsx";
import { Lanes } from "../parts/lanes.tsx";
import { nameOf } from "../parts/phase.ts";
import { Status } from "../parts/status.tsx";
import { VirtualList } from "../parts/virtual-list.tsx";
import { answers, inspector, lines, selected, shown, showsAll, version, view } from "../store.ts";
import { Details } from "./details.tsx";
import { NoMessages } from "./no-messages.tsx";

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
    title: "Search in the view, or filter the timeline",
    keys: "/",
    run: () => {
      if (document.querySelector("main input[type=search]") === null) {
        view.value = view.value === "start" ? "try" : "timeline";
      }
      // The view is drawn in an earlier microtask. A later task could miss the next key.
      queueMicrotask(() => document.querySelector<HTMLElement>("main input[type=search]")?.focus());
    },
  },
  {
    title: "Close the details",
    keys: "Escape",
    when: () => isHere() && selected.value !== undefined,
    run: () => void (selected.value = undefined),
  },
);

/** The name of the server that a line belongs to. */
function serverName({ server }: Summary): string {
  const found = inspector.value?.servers.find(({ id }) => id === server);
  return found === undefined ? "removed" : nameOf(found);
}

interface RowProps {
  readonly line: Summary;
  /** The response to the line. As a property it has the row drawn again when it arrives. */
  readonly answer: Summary | undefined;
  /** Whether the lines of all servers are shown. */
  readonly all: boolean;
}

function Row({ line, answer, all }: RowProps): VNode {
  const { kind, to, method, subject, preview, ms, bytes, at, era, round } = line;
  const arrow = to === "server" ? "→" : to === "client" ? "←" : "·";
  const isNote = kind === "problem" || kind === "end" || kind === "http" || kind === "auth";
  return (
    <>
      <span class="at">{clockTime(at)}</span>
      {/* Each server has lanes of its own. */}
      <Lanes line={all ? { ...line, lane: undefined, lanes: 0 } : line} height={rowHeight} />
      <span class={`arrow ${to ?? ""}`} title={to === undefined ? "" : `to the ${to}`}>
        {arrow}
        <span class="visually-hidden">{to === undefined ? "" : `to the ${to}`}</span>
      </span>
      <span class={`kind ${kind}`}>{kind === "notification" ? "notify" : kind}</span>
      <span class="what">
        {all && <span class="tag">{serverName(line)}</span>}
        {!isNote && <span class="method">{method ?? "unknown request"}</span>}
        {subject !== undefined && <span class="subject">{subject}</span>}
        {round !== undefined && <span class="tag">round {round}</span>}
        <span class="preview">{preview === "{}" ? "" : preview}</span>
      </span>
      <span class={`era-dot ${era ?? ""}`}>{era ?? ""}</span>
      <span class="verdict">
        <Status line={line} answer={answer} />
      </span>
      <span class="ms">{duration(ms)}</span>
      <span class="bytes">{size(bytes)}</span>
    </>
  );
}

/** Every message in order, with a filter and the details of the selected one. */
export function Timeline(): VNode {
  const items = shown.value.lines;
  const count = version.value >= 0 ? lines.length : 0;
  return (
    <div class={`timeline ${selected.value === undefined ? "" : "split"}`}>
      <section class="list" aria-label="Messages">
        <FilterBar />
        {count === 0 ? (
          <NoMessages />
        ) : items.length === 0 ? (
          <NothingMatches what="message" />
        ) : (
          <VirtualList
            items={items}
            rowHeight={rowHeight}
            label="Messages"
            selected={selected.value}
            follows
            dependencies={({ seq }) => [answers.get(seq), showsAll.value]}
            onSelect={({ seq }) => {
              selected.value = seq;
            }}
          >
            {(line) => <Row line={line} answer={answers.get(line.seq)} all={showsAll.value} />}
          </VirtualList>
        )}
      </section>
      <Details />
    </div>
  );
}
