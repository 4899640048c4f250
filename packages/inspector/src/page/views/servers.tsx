import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { Action, ServerChoice } from "../../wire/action.ts";
import { act } from "../api.ts";
import { attempt, say, state } from "../store.ts";

type To = Extract<Action, { readonly do: "switch" }>["to"];

/** The servers that the person can choose instead of this one. */
export function Servers(): VNode | null {
  const [choices, setChoices] = useState<readonly ServerChoice[]>();
  const [url, setUrl] = useState("");
  const canSwitch = state.value?.canSwitch === true;
  useEffect(() => {
    if (canSwitch) {
      act({ do: "servers" }).then((found) => setChoices(found as readonly ServerChoice[]), say);
    }
  }, [canSwitch]);
  if (!canSwitch) {
    return null;
  }
  const go = async (to: To): Promise<void> => {
    if (await attempt({ do: "switch", to })) {
      setUrl("");
    }
  };
  return (
    <section aria-labelledby="other-servers">
      <h2 id="other-servers">Other servers</h2>
      <form
        class="new"
        onSubmit={(event) => {
          event.preventDefault();
          void go({ url });
        }}
      >
        <input
          type="url"
          aria-label="URL of a server"
          placeholder="https://example.com/mcp"
          value={url}
          onInput={(event) => setUrl(event.currentTarget.value)}
        />
        <button type="submit" disabled={url === ""}>
          Connect to it
        </button>
      </form>
      {choices !== undefined && choices.length === 0 && (
        <p class="dim">
          No configuration of a host names a server. <code>tenon config add</code> adds one.
        </p>
      )}
      <ul class="servers" aria-label="Configured servers">
        {choices?.map(({ id, name, label, origin }) => (
          <li key={id}>
            <button type="button" onClick={() => void go({ id })}>
              <span class="entry-name">{name}</span> <code class="dim">{label}</code>
              <span class="entry-text">{origin}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
