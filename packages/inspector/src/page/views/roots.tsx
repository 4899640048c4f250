import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { attempt, state } from "../store.ts";

type Root = { readonly uri: string; readonly name?: string };

/** The folders that the server may list, as the person writes them. */
export function Roots(): VNode {
  const [uri, setUri] = useState("");
  const roots = (state.value?.roots ?? []) as readonly Root[];
  const set = (changed: readonly Root[]): Promise<boolean> => attempt({ do: "roots", roots: changed });
  const add = async (): Promise<void> => {
    if (await set([...roots, { uri }])) {
      setUri("");
    }
  };
  return (
    <section class="card" aria-label="Roots">
      <h3>Roots</h3>
      <p class="dim">The folders that the server may list.</p>
      <ul>
        {roots.map((root) => (
          <li key={root.uri} class="property">
            <code>{root.uri}</code>
            <button
              type="button"
              aria-label={`Remove ${root.uri}`}
              onClick={() => void set(roots.filter((one) => one !== root))}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      <p class="new">
        <input
          type="text"
          aria-label="URI of a root"
          placeholder="file:///home/me/project"
          value={uri}
          onInput={(event) => setUri(event.currentTarget.value)}
        />
        <button type="button" disabled={uri === ""} onClick={() => void add()}>
          Add
        </button>
      </p>
    </section>
  );
}
