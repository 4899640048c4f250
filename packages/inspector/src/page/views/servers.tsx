import { signal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { Action, OpenedServer, ServerChoice } from "../../wire/action.ts";
import { act } from "../api.ts";
import { addCommands, addCommandSource } from "../commands.ts";
import { goTo, say, state, view } from "../store.ts";

type To = Extract<Action, { readonly do: "open" }>["to"];

const urlField = "other-server";

/** The configured servers, once they were read. */
const choices: Signal<readonly ServerChoice[] | undefined> = signal(undefined);

const canOpenOthers = (): boolean => state.value?.canOpen === true;

function load(): void {
  act({ do: "servers" }).then((found) => {
    choices.value = found as readonly ServerChoice[];
  }, say);
}

/** Opens a server, and goes to its first screen. Returns whether this was possible. */
async function go(to: To): Promise<boolean> {
  try {
    const { server } = (await act({ do: "open", to })) as OpenedServer;
    goTo(server);
    view.value = "start";
    return true;
  } catch (error) {
    say(error);
    return false;
  }
}

addCommands({
  title: "Connect to the server at a URL…",
  when: canOpenOthers,
  run() {
    view.value = "start";
    // The field is there after the view was drawn.
    requestAnimationFrame(() => document.getElementById(urlField)?.focus());
  },
});

addCommandSource(() =>
  canOpenOthers()
    ? (choices.value ?? []).map(({ id, name, origin }) => ({
        title: `Connect to ${name} (${origin})`,
        run: () => void go({ id }),
      }))
    : [],
);

/** The servers that the person can open beside this one. */
export function Servers(): VNode | null {
  const [url, setUrl] = useState("");
  const canOpen = canOpenOthers();
  useEffect(() => {
    if (canOpen) {
      load();
    }
  }, [canOpen]);
  if (!canOpen) {
    return null;
  }
  return (
    <section aria-labelledby="other-servers">
      <h2 id="other-servers">Other servers</h2>
      <form
        class="new"
        onSubmit={(event) => {
          event.preventDefault();
          void go({ url }).then((isOpened) => {
            if (isOpened) {
              setUrl("");
            }
          });
        }}
      >
        <input
          id={urlField}
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
      {choices.value?.length === 0 && (
        <p class="dim">
          No configuration of a host names a server. <code>tenon config add</code> adds one.
        </p>
      )}
      <ul class="servers" aria-label="Configured servers">
        {choices.value?.map(({ id, name, label, origin }) => (
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
