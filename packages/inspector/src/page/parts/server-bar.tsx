import type { VNode } from "preact";
import { useEffect } from "preact/hooks";

import type { ServerState } from "../../wire/state.ts";
import { act } from "../api.ts";
import { addCommands, addCommandSource } from "../commands.ts";
import { server } from "../servers.ts";
import { goTo, inspector, say } from "../store.ts";
import { nameOf, stateOf } from "./phase.ts";
import { scrollTo } from "./scroll-to.ts";

const all = (): readonly ServerState[] => inspector.value?.servers ?? [];

function step(by: number): void {
  const servers = all();
  const index = servers.findIndex(({ id }) => id === server.value);
  const next = servers[(index + by + servers.length) % servers.length];
  if (next !== undefined) {
    goTo(next.id);
    say(`${nameOf(next)}, ${stateOf(next.source).words}`);
  }
}

const hasSeveral = (): boolean => all().length > 1;

addCommandSource(() =>
  hasSeveral()
    ? all().map((one) => ({ title: `Go to the server ${nameOf(one)}`, run: () => goTo(one.id) }))
    : [],
);

addCommands(
  { title: "Next server", keys: "n", when: hasSeveral, run: () => step(1) },
  { title: "Previous server", keys: "p", when: hasSeveral, run: () => step(-1) },
);

/** The servers that are open, if there are several: one click or key leads from one to another. */
export function ServerBar(): VNode | null {
  const servers = all();
  useEffect(() => {
    scrollTo(document.querySelector<HTMLElement>(".server-bar .current"));
  }, [server.value, servers.map(nameOf).join("\n")]);
  if (servers.length < 2) {
    return null;
  }
  return (
    <section class="server-bar" aria-label="Open servers">
      <ul>
        {servers.map((one) => {
          const { id, source, inputRequests } = one;
          const name = nameOf(one);
          const isTwice = servers.some((other) => other.id !== id && nameOf(other) === name);
          return (
            <li key={id} class={id === server.value ? "current" : ""}>
              <button
                type="button"
                aria-current={id === server.value ? "true" : undefined}
                title={source.label}
                onClick={() => goTo(id)}
              >
                <span class={`dot ${stateOf(source).style}`} aria-hidden="true" />
                <span class="entry-name">{name}</span>
                {isTwice && <code class="dim">{source.label}</code>}
                <span class="visually-hidden">, {stateOf(source).words}</span>
                {inputRequests.length > 0 && (
                  <span class="count">
                    {inputRequests.length}
                    <span class="visually-hidden"> waiting</span>
                  </span>
                )}
              </button>
              <button
                type="button"
                class="link"
                aria-label={`Remove ${isTwice ? source.label : name}`}
                onClick={() => void act({ do: "remove" }, id).catch(say)}
              >
                ✕
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
