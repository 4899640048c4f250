import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { plainLine } from "../result/markdown.ts";
import { attempt, state } from "../store.ts";
import type { Target } from "./targets.ts";
import { chosen, open, openForm } from "./try-state.ts";

const groups = [
  ["tool", "Tools"],
  ["prompt", "Prompts"],
  ["resource", "Resources"],
  ["template", "Templates"],
] as const;

/** How many targets of a kind are listed. */
const maxListed = 500;

/** What a tool does to the world, as its server says; the default of the specification is unsaid. */
export function EffectMark({ target }: { target: Target }): VNode | null {
  const { readOnlyHint, destructiveHint } = target.annotations;
  return readOnlyHint === true ? (
    <span class="tag">reads</span>
  ) : destructiveHint === true ? (
    <span class="tag destructive">destructive</span>
  ) : null;
}

function Entry({ target, isCurrent }: { target: Target; isCurrent: boolean }): VNode {
  const { key, name, title, description } = target;
  return (
    <li>
      <button
        type="button"
        aria-current={isCurrent ? "true" : undefined}
        onClick={({ detail }) => {
          if (detail === 0) {
            // By a key. A mouse stays where it is.
            openForm(key);
          } else {
            chosen.value = key;
          }
        }}
      >
        <span class="entry">
          <span class="entry-name">{title ?? name}</span>
          {title !== undefined && title.toLowerCase() !== name.toLowerCase() && (
            <code class="dim">{name}</code>
          )}
          <span class="effect">
            <EffectMark target={target} />
          </span>
        </span>
        {description !== undefined && <span class="entry-text">{plainLine(description).slice(0, 200)}</span>}
      </button>
    </li>
  );
}

/** Has the arrow keys move the focus from the search to the list, and in it. */
function step(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  const stops = [...event.currentTarget.querySelectorAll<HTMLElement>("input, li > button:first-child")];
  const at = stops.findIndex((stop) => stop === document.activeElement);
  const next = stops[at + by];
  if (by !== 0 && at >= 0 && next !== undefined) {
    event.preventDefault();
    next.focus();
  }
}

/** Everything that the server offers, and the stored calls. */
export function TargetList({
  targets,
  current,
}: {
  targets: readonly Target[];
  current: Target | undefined;
}): VNode {
  const [search, setSearch] = useState("");
  const matches = ({ name, title, description }: Target): boolean =>
    `${name} ${title ?? ""} ${description ?? ""}`.toLowerCase().includes(search.toLowerCase());
  const found = targets.filter(matches);
  const saved = state.value?.saved ?? [];
  return (
    <section class="targets" aria-label="What the server offers" onKeyDown={step}>
      <input
        type="search"
        aria-label="Search"
        placeholder="Search"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = found;
          if (event.key === "Enter" && first !== undefined) {
            event.preventDefault();
            openForm(first.key);
          }
        }}
      />
      {found.length === 0 && targets.length > 0 && (
        <p class="dim">Nothing has “{search}” in its name or text.</p>
      )}
      {groups.map(([kind, title]) => {
        const list = found.filter((target) => target.kind === kind);
        return list.length === 0 ? null : (
          <div key={kind}>
            <h2>
              {title} <span class="dim">{list.length}</span>
            </h2>
            <ul>
              {list.slice(0, maxListed).map((target) => (
                <Entry key={target.key} target={target} isCurrent={target.key === current?.key} />
              ))}
            </ul>
            {list.length > maxListed && (
              <p class="dim">{list.length - maxListed} further ones: search for them.</p>
            )}
          </div>
        );
      })}
      {saved.length > 0 && (
        <div>
          <h2>Stored calls</h2>
          <ul>
            {saved.map((call) => (
              <li key={call.name} class="saved">
                <button type="button" onClick={() => open(call.method, call.params)}>
                  {call.name} <span class="dim">{call.method}</span>
                </button>
                <button
                  type="button"
                  aria-label={`Delete ${call.name}`}
                  onClick={() => void attempt({ do: "save", saved: saved.filter((one) => one !== call) })}
                >
                  ✕
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
}
