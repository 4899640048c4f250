import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { Action, OpenedServer, ServerChoice } from "../../wire/action.ts";
import { act } from "../api.ts";
import { goTo, say, state } from "../store.ts";

type To = Extract<Action, { readonly do: "open" }>["to"];

/** The servers that the person can open beside this one. */
export function Servers(): VNode | null {
  const [choices, setChoices] = useState<readonly ServerChoice[]>();
  const [url, setUrl] = useState("");
  const canOpen = state.value?.canOpen === true;
  const load = (): void => {
    act({ do: "servers" }).then((found) => setChoices(found as readonly ServerChoice[]), say);
  };
  useEffect(() => {
    if (canOpen) {
      load();
    }
  }, [canOpen]);
  if (!canOpen) {
    return null;
  }
  const go = async (to: To): Promise<void> => {
    try {
      const { server } = (await act({ do: "open", to })) as OpenedServer;
      setUrl("");
      goTo(server);
    } catch (error) {
      say(error);
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
      <p class="dim">
        A further server opens beside this one. Its messages, its filter and its forms are its own.{" "}
        <button type="button" class="link" onClick={load}>
          Read the configurations again
        </button>
      </p>
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
