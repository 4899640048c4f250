import type { VNode } from "preact";

import type { LoginState, SourceState } from "../../wire/state.ts";
import { hostOf } from "../result/outside-link.tsx";
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

const logIn = (): void => void attempt({ do: "login" });

/** The login that a server requires: a button, then the page of its authorization server. */
function Login({ login, source }: { login: LoginState; source: SourceState }): VNode {
  const { phase, scopes, url, reason } = login;
  const host = url === undefined ? undefined : hostOf(url);
  const rights = scopes.length === 0 ? "" : ` with the rights ${scopes.join(", ")}`;
  if (phase === "running") {
    return (
      <div class="banner" role="alert">
        <p>
          {host === undefined || url === undefined ? (
            "Looking for the authorization server…"
          ) : (
            <>
              <strong>Log in at {host}.</strong> The inspector goes on when that page says that it is done.
            </>
          )}
        </p>
        {host !== undefined && url !== undefined && (
          <a class="button primary" href={url} target="_blank" rel="noopener noreferrer">
            Open {host}
          </a>
        )}
        <button type="button" onClick={() => void attempt({ do: "disconnect" })}>
          Cancel the login
        </button>
      </div>
    );
  }
  return (
    <div class="banner" role="alert">
      <p>
        <strong>The server requires a login{rights}.</strong>{" "}
        {phase === "failed" && <span class="plain">The last login failed: {reason} </span>}
        {source.canLogIn === true
          ? "Each step is a row in Login, HTTP."
          : "This inspector has no login for it: add a header in Try, or start it with credentials."}
      </p>
      {source.canLogIn === true && (
        <button type="button" class="primary" onClick={logIn}>
          {phase === "failed" ? "Log in again" : "Log in"}
        </button>
      )}
    </div>
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
  if (source?.login !== undefined) {
    return <Login login={source.login} source={source} />;
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
