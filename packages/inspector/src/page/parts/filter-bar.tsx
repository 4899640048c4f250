import type { VNode } from "preact";

import { filter, lines, shown, showsAll, state, version } from "../store.ts";

/** The filter of the lines, and how many of them it shows. */
export function FilterBar(): VNode {
  const count = version.value >= 0 ? lines.length : 0;
  const items = shown.value.lines;
  const dropped = state.value?.dropped ?? 0;
  return (
    <div class="toolbar">
      <input
        id="filter"
        type="search"
        aria-label="Filter"
        placeholder="Filter: tool:weather status:error -method:ping"
        value={filter.value}
        onInput={(event) => {
          filter.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" || event.key === "ArrowDown") {
            event.preventDefault();
            event.currentTarget.blur();
          }
        }}
      />
      {(state.value?.servers.length ?? 0) > 1 && (
        <button
          type="button"
          aria-pressed={showsAll.value}
          onClick={() => {
            showsAll.value = !showsAll.value;
          }}
        >
          All servers
        </button>
      )}
      <p class="dim" role="status">
        {items.length === count ? `${count} lines` : `${items.length} of ${count} lines`}
        {dropped > 0 && `, ${dropped} older ones were dropped`}
      </p>
    </div>
  );
}

/** That the filter hides everything, and the way back. */
export function NothingMatches({ what }: { what: string }): VNode {
  return (
    <p class="empty">
      No {what} matches the filter <code>{filter.value}</code>.{" "}
      <button
        type="button"
        onClick={() => {
          filter.value = "";
        }}
      >
        Clear the filter
      </button>
    </p>
  );
}
