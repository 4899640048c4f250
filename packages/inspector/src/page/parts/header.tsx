import type { VNode } from "preact";

import { request } from "../api.ts";
import { addCommands, dialog } from "../commands.ts";
import { keyLabel } from "../machine.ts";
import { attempt, connection, isOpen, say, state } from "../store.ts";
import { theme, themes } from "../theme.ts";
import { Elapsed } from "./elapsed.tsx";
import { isLost, stateOf } from "./phase.ts";
import { save } from "./save.ts";

const isLive = (): boolean => state.value?.source.kind === "live";
const isConnecting = (): boolean => state.value?.source.phase === "connecting";

const connect = (): void => void attempt({ do: "connect" });
const disconnect = (): void => void attempt({ do: "disconnect" });
const switchTheme = (): void => {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? "system";
};
const clear = (): void => void attempt({ do: "clear" });

addCommands(
  { title: "Connect to the server", when: () => isLive() && !isOpen.value && !isConnecting(), run: connect },
  { title: "Disconnect from the server", when: () => isOpen.value, run: disconnect },
  { title: "Stop connecting", when: isConnecting, run: disconnect },
  { title: "Clear the timeline", run: clear },
  { title: "Export a cassette (JSONL)", keys: "e", run: () => void save("jsonl").catch(say) },
  { title: "Export HAR", run: () => void save("har").catch(say) },
  { title: "Export all calls as a test file (vitest)", run: () => void save("test").catch(say) },
  { title: "Export a page (HTML)", run: () => void save("html").catch(say) },
  { title: "Make a link for another tab", run: () => void makeLink().catch(say) },
  { title: "Switch the theme: system, light, dark", run: switchTheme },
);

/** A link that opens the page in another tab or browser, once. It is copied, and shown. */
async function makeLink(): Promise<void> {
  const response = await request("link", { method: "POST" });
  const { code } = (await response.json()) as { readonly code: string };
  const url = new URL(location.pathname, location.origin);
  url.hash = `code=${code}`;
  await navigator.clipboard?.writeText(url.href).catch(() => undefined);
  say(`Copied. It works once, for ten minutes: ${url.href}`);
}

/** Connects, disconnects or stops connecting, unless the banner above the view does what helps. */
function ConnectButton(): VNode | null {
  const source = state.value?.source;
  if (!isLive() || source === undefined || !connection.value.connected) {
    return null;
  }
  if (isOpen.value || isConnecting()) {
    return (
      <button type="button" onClick={disconnect}>
        {isOpen.value ? "Disconnect" : "Stop connecting"}
      </button>
    );
  }
  const isInBanner = source.login === undefined && (source.phase === "failed" || isLost(source));
  return isInBanner ? null : (
    <button type="button" class={source.login === undefined ? "primary" : ""} onClick={connect}>
      Connect
    </button>
  );
}

/** The name of the server, the state of the connection, and what can be done with it. */
export function Header(): VNode {
  const source = state.value?.source;
  const info = source?.serverInfo as { readonly name?: string; readonly version?: string } | undefined;
  return (
    <header>
      <h1>
        <svg viewBox="0 0 20 20" aria-hidden="true">
          <path d="M2 4h16v4h-6v10H8V8H2z" />
        </svg>
        Tenon <span>inspector</span>
      </h1>
      {source !== undefined && (
        <>
          <p class="source" title={source.label}>
            {source.kind !== "live" && <span class="tag">{source.kind}</span>}
            <strong>{info?.name ?? source.label}</strong>
            {info?.version !== undefined && <span class="dim"> {info.version}</span>}
            {info?.name !== undefined && <code class="dim">{source.label}</code>}
          </p>
          {connection.value.connected ? (
            <p class={`phase ${stateOf(source).style}`} role="status">
              {stateOf(source).words}
              {isConnecting() && <Elapsed key={state.value?.id} />}
            </p>
          ) : (
            <p class="phase failed" role="status">
              no inspector
            </p>
          )}
          {source.revision !== undefined && source.phase === "open" && (
            <p class={`era ${source.era ?? ""}`}>
              {source.revision} <span>{source.era}</span>
            </p>
          )}
        </>
      )}
      <div class="actions">
        <ConnectButton />
        <button type="button" disabled={!connection.value.connected} onClick={clear}>
          Clear
        </button>
        <button type="button" class="theme" onClick={switchTheme} title="Switch the theme">
          <span aria-hidden="true">{theme.value === "dark" ? "☾" : theme.value === "light" ? "☀" : "◐"}</span>
          <span class="visually-hidden">Theme: {theme.value}</span>
        </button>
        <button
          type="button"
          onClick={() => {
            dialog.value = "palette";
          }}
        >
          Commands <kbd aria-hidden="true">{keyLabel("mod+k")}</kbd>
        </button>
      </div>
    </header>
  );
}
