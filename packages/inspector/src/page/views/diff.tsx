import { diffDefinitions, type DefinitionChange } from "@tenon/testing";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import { readWhole } from "../api.ts";
import { addCommands } from "../commands.ts";
import { diffLines, type DiffLine } from "../line-diff.ts";
import { keyOf, marked, other, ownDefinitions, ownExchanges, readOther, type Exchange } from "../other.ts";
import { lineOf, say, selected, view } from "../store.ts";

addCommands(
  {
    title: "Mark the selected line for comparison",
    keys: "m",
    when: () => view.value === "timeline" && selected.value !== undefined,
    run: () => {
      marked.value = selected.value;
      say("The line is marked. Select another one and press d.");
    },
  },
  {
    title: "Compare the selected line with the marked one",
    keys: "d",
    when: () => view.value === "timeline" && selected.value !== undefined && marked.value !== undefined,
    run: () => void (view.value = "diff"),
  },
);

const pretty = (value: unknown): string => JSON.stringify(value, undefined, 2) ?? "";

const words: Readonly<Record<DiffLine["sign"], string>> = { " ": "", "-": "removed: ", "+": "added: " };

/** A difference, with signs and colors. */
function Difference({ before, after, label }: { before: string; after: string; label: string }): VNode {
  const changed = diffLines(before, after);
  return changed.every(({ sign }) => sign === " ") ? (
    <p class="dim">Both are equal.</p>
  ) : (
    <div class="json">
      <pre class="diff" tabIndex={0} role="region" aria-label={label}>
        {changed.slice(0, 2000).map(({ sign, text }, index) => (
          <span key={index} class={sign === "-" ? "minus" : sign === "+" ? "plus" : ""}>
            <span class="visually-hidden">{words[sign]}</span>
            {sign} {text}
            {"\n"}
          </span>
        ))}
      </pre>
    </div>
  );
}

function Lines(): VNode | null {
  const [texts, setTexts] = useState<readonly [string, string]>();
  const one = lineOf(marked.value);
  const two = lineOf(selected.value);
  useEffect(() => {
    setTexts(undefined);
    if (one !== undefined && two !== undefined) {
      Promise.all([readWhole(one.seq), readWhole(two.seq)]).then(([before, after]) => {
        if (before === undefined || after === undefined) {
          say("The lines are too long to be compared.");
          return;
        }
        setTexts([pretty(JSON.parse(before)), pretty(JSON.parse(after))]);
      }, say);
    }
  }, [one?.seq, two?.seq]);
  return texts === undefined ? (
    <p class="dim">
      Select a line in the timeline and choose <strong>Mark</strong> (<kbd>m</kbd>). Then select another line
      and choose <strong>Compare with the marked line</strong> (<kbd>d</kbd>).
    </p>
  ) : (
    <Difference before={texts[0]} after={texts[1]} label="Difference of two lines" />
  );
}

interface Pair {
  readonly key: string;
  readonly before: Exchange | undefined;
  readonly after: Exchange | undefined;
}

function Exchanges({ pairs }: { pairs: readonly Pair[] }): VNode {
  const different = pairs.filter(
    ({ before, after }) =>
      pretty(before?.response?.["result"] ?? before?.response?.["error"]) !==
      pretty(after?.response?.["result"] ?? after?.response?.["error"]),
  );
  return (
    <>
      <p class="dim">
        {different.length} of {pairs.length} exchanges differ.
      </p>
      {different.slice(0, 100).map(({ key, before, after }) => (
        <details key={key} class="card">
          <summary>
            <code>{key.slice(0, 200)}</code>{" "}
            <span class="tag">
              {before === undefined ? "only here" : after === undefined ? "only in the file" : "changed"}
            </span>
          </summary>
          <Difference
            before={pretty(before?.response)}
            after={pretty(after?.response)}
            label={`Difference of the responses to ${key.slice(0, 100)}`}
          />
        </details>
      ))}
    </>
  );
}

/** Two lines, two sessions, or the definitions of two servers side by side. */
export function Diff(): VNode {
  const [changes, setChanges] = useState<readonly DefinitionChange[]>();
  const [pairs, setPairs] = useState<readonly Pair[]>();
  const load = async (file: File | undefined): Promise<void> => {
    if (file === undefined) {
      return;
    }
    const session = readOther(file.name, await file.text());
    other.value = session;
    setChanges(diffDefinitions(session.definitions, await ownDefinitions()));
    const own = new Map((await ownExchanges()).map((exchange) => [keyOf(exchange.request), exchange]));
    const keys =
      session.exchanges.size === 0 ? [] : [...new Set([...session.exchanges.keys(), ...own.keys()])];
    setPairs(keys.map((key) => ({ key, before: session.exchanges.get(key), after: own.get(key) })));
  };
  return (
    <div class="page">
      <h2>Compare two lines</h2>
      <Lines />
      <h2>Compare this session with another one</h2>
      <p class="field">
        <label class="name" for="other">
          Cassette (a recorded session) or lock file of the other session
        </label>
        <input
          id="other"
          type="file"
          onChange={(event) => void load(event.currentTarget.files?.[0]).catch(say)}
        />
      </p>
      {changes !== undefined && (
        <section class="card" aria-label="Definitions">
          <h3>Definitions, from {other.value?.name} to this session</h3>
          {changes.length === 0 ? (
            <p class="dim">All definitions are equal.</p>
          ) : (
            <table>
              <thead>
                <tr>
                  {["effect", "definition", "change"].map((title) => (
                    <th key={title} scope="col">
                      {title}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {changes.slice(0, 500).map(({ effect, kind, name, path, message }, index) => (
                  <tr key={index}>
                    <td>
                      <span class={`status ${effect === "breaking" ? "error" : "ok"}`}>
                        {effect === "breaking"
                          ? "✕ breaking"
                          : effect === "additive"
                            ? "+ additive"
                            : "· cosmetic"}
                      </span>
                    </td>
                    <td>
                      {kind} {name} <code class="dim">{path}</code>
                    </td>
                    <td>{message}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
      )}
      {pairs !== undefined && pairs.length > 0 && (
        <section aria-label="Exchanges">
          <h3>Exchanges</h3>
          <Exchanges pairs={pairs} />
        </section>
      )}
    </div>
  );
}
