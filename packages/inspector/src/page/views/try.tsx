import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import { Editor } from "../form/editor.tsx";
import { attempt, definitions, draft, state } from "../store.ts";
import { Outcome } from "./outcome.tsx";
import { RequestOptions } from "./request-options.tsx";
import { targetsOf, type Target } from "./targets.ts";
import { chosen, editorId, fill, here, open, problems, send, started, store, valueOf } from "./try-state.ts";

const groups = [
  ["tool", "Tools"],
  ["prompt", "Prompts"],
  ["resource", "Resources"],
  ["template", "Templates"],
] as const;

function Targets({ targets, current }: { targets: readonly Target[]; current: Target | undefined }): VNode {
  const [search, setSearch] = useState("");
  const matches = ({ name, title }: Target): boolean =>
    `${name} ${title ?? ""}`.toLowerCase().includes(search.toLowerCase());
  const saved = state.value?.saved ?? [];
  return (
    <section class="targets" aria-label="What the server offers">
      <input
        type="search"
        aria-label="Search"
        placeholder="Search"
        value={search}
        onInput={(event) => setSearch(event.currentTarget.value)}
      />
      {groups.map(([kind, title]) => {
        const list = targets.filter((target) => target.kind === kind && matches(target));
        return list.length === 0 ? null : (
          <div key={kind}>
            <h2>
              {title} <span class="dim">{list.length}</span>
            </h2>
            <ul>
              {list.slice(0, 500).map((target) => (
                <li key={target.key}>
                  <button
                    type="button"
                    aria-current={target === current ? "true" : undefined}
                    onClick={() => {
                      chosen.value = target.key;
                    }}
                  >
                    {target.title ?? target.name}
                    {target.title !== undefined && <span class="dim"> {target.name}</span>}
                  </button>
                </li>
              ))}
            </ul>
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

function Hints({ target }: { target: Target }): VNode | null {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = target.annotations;
  const hints = [
    readOnlyHint === true && "read only",
    destructiveHint === true && "destructive",
    idempotentHint === true && "idempotent",
    openWorldHint === true && "open world",
  ].filter((hint) => hint !== false);
  return hints.length === 0 ? null : (
    <p class="facts">
      {hints.map((hint) => (
        <span key={hint} class={`tag ${hint}`}>
          {hint}
        </span>
      ))}
      <span class="dim">as the server says</span>
    </p>
  );
}

/** The tools, prompts and resources of the server, each with a form. */
export function Try(): VNode {
  const [name, setName] = useState("");
  useEffect(() => {
    const given = draft.value;
    if (given !== undefined && definitions.value !== undefined) {
      draft.value = undefined;
      open(given.method, given.params);
    }
  }, [draft.value, definitions.value]);
  const targets = targetsOf(definitions.value);
  const target = here();
  const isOpen = state.value?.source.phase === "open";
  const call = target === undefined ? undefined : started.value[target.key];
  if (state.value !== undefined && state.value.source.kind !== "live") {
    return (
      <p class="empty">
        A {state.value.source.kind} only shows what was said: there is no server to send requests to.
      </p>
    );
  }
  return (
    <div class="try">
      <Targets targets={targets} current={target} />
      {target === undefined ? (
        <p class="empty">{isOpen ? "The server offers nothing to try." : "The server is not connected."}</p>
      ) : (
        <section class="call" aria-label={target.name} key={target.key}>
          <h2>
            {target.title ?? target.name} <code class="dim">{target.method}</code>
          </h2>
          {target.description !== undefined && <p class="description">{target.description}</p>}
          <Hints target={target} />
          <Editor
            id={editorId}
            schema={target.schema}
            value={valueOf(target)}
            onChange={(value) => fill(target, value)}
            label={`Arguments of ${target.name}`}
            problems={problems}
          />
          <RequestOptions target={target.key} />
          <p class="send">
            <button type="button" class="primary" disabled={!isOpen} onClick={() => void send()}>
              Send <kbd>⌘↵</kbd>
            </button>
            {problems.value.size > 0 && (
              <button type="button" disabled={!isOpen} onClick={() => void send(false)}>
                Send it although it is not valid
              </button>
            )}
            <input
              type="text"
              aria-label="Name of the stored call"
              placeholder="Store as…"
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
            <button type="button" disabled={name === ""} onClick={() => void store(name)}>
              Store
            </button>
          </p>
          {call !== undefined && <Outcome call={call} />}
        </section>
      )}
      {(definitions.value?.problems ?? []).map((problem) => (
        <p key={problem} class="problem">
          {problem}
        </p>
      ))}
    </div>
  );
}
