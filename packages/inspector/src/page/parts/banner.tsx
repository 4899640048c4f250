import type { VNode } from "preact";

import { attempt, connection, state } from "../store.ts";

/** Why the page shows nothing: its link was used, or it was opened without a link. */
function NoAccess({ reason }: { reason: string }): VNode {
  return (
    <main id="main" tabIndex={-1} class="no-access" aria-label="No access">
      <h2>This page needs a new link</h2>
      <p role="alert">{reason}</p>
      <p>
        A link opens the inspector in one tab, once, and for ten minutes. A second tab, and a tab in which the
        address was typed, need a link of their own:
      </p>
      <ul>
        <li>
          In the tab that is open, choose <strong>Commands</strong>, then{" "}
          <strong>Make a link for another tab</strong>.
        </li>
        <li>
          Or press Enter in the terminal in which <code>tenon inspect</code> runs: it prints a new link.
        </li>
        <li>
          If the program has ended, start it again. Its page had an address of its own, which has ended with
          it.
        </li>
      </ul>
    </main>
  );
}

/** What keeps the page from working, and what to do next. */
export function Banner(): VNode | null {
  const { connected, reason } = connection.value;
  const source = state.value?.source;
  if (reason !== undefined) {
    return <NoAccess reason={reason} />;
  }
  if (!connected) {
    return (
      <p class="banner" role="alert">
        {state.value === undefined
          ? "Connecting to the inspector…"
          : "The inspector does not respond. The page connects again by itself; if the program has ended, start it again."}
      </p>
    );
  }
  if (source?.phase === "failed" || (source?.phase === "closed" && source.reason !== undefined)) {
    return (
      <div class="banner failed" role="alert">
        <p>
          <strong>
            {source.phase === "failed" ? "The server cannot be reached." : "The connection has ended."}
          </strong>{" "}
          <span class="plain">{source.reason}</span>
        </p>
        <button type="button" onClick={() => void attempt({ do: "connect" })}>
          Connect again
        </button>
      </div>
    );
  }
  return null;
}
