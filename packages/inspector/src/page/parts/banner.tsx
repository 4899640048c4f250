import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";

import type { LoginState, SourceState } from "../../wire/state.ts";
import { addCommands } from "../commands.ts";
import { hostOf } from "../result/outside-link.tsx";
import { attempt, connection, state } from "../store.ts";
import { isLost } from "./phase.ts";
import { Reason } from "./reason.tsx";

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

/** Moves the focus to the link of a login that has begun, unless the person does something else. */
function focusLink(link: HTMLAnchorElement | null): void {
  const { activeElement: at } = document;
  if (at === null || at === document.body || at.closest(".banner") !== null) {
    link?.focus();
  }
}

/** The login that runs: the page of the authorization server, and the way back. */
function RunningLogin({ url }: { url: string | undefined }): VNode {
  const link = useRef<HTMLAnchorElement>(null);
  const host = url === undefined ? undefined : hostOf(url);
  useEffect(() => focusLink(link.current), [url]);
  return (
    <div class="banner" role="alert">
      <p>
        {host === undefined ? (
          "Looking for the authorization server…"
        ) : (
          <>
            <strong>Log in at {host}.</strong> The inspector then connects by itself.
          </>
        )}
      </p>
      <button type="button" onClick={() => void attempt({ do: "disconnect" })}>
        Cancel the login
      </button>
      {/* At the place of the button that began the login. */}
      {host === undefined || url === undefined ? (
        <span class="button waiting">Open the page…</span>
      ) : (
        <a ref={link} class="button primary" href={url} target="_blank" rel="noopener noreferrer">
          Open {host}
        </a>
      )}
    </div>
  );
}

/** The login that a server requires: a button, then the page of its authorization server. */
function Login({ login, source }: { login: LoginState; source: SourceState }): VNode {
  const { phase, scopes, url, reason, isFurther, isLoggedOut } = login;
  if (phase === "running") {
    return <RunningLogin url={url} />;
  }
  const named = scopes.join(", ");
  const required =
    isFurther === true
      ? `The call requires ${named === "" ? "another login" : `further scopes: ${named}`}.`
      : `The server requires a login${named === "" ? "" : ` for ${scopes.length === 1 ? "the scope" : "the scopes"} ${named}`}.`;
  return (
    <div class="banner" role="alert">
      <p>
        <strong>
          {isLoggedOut === true && "You are logged out. "}
          {required}
        </strong>{" "}
        {phase === "failed" && <span class="plain">The last login failed: {reason} </span>}
        {source.canLogIn === true
          ? "The view Login, HTTP shows each step."
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

addCommands({
  title: "Log in at the server",
  when: () => state.value?.source.login !== undefined && state.value.source.canLogIn === true,
  run: logIn,
});

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
  if (source !== undefined && (source.phase === "failed" || isLost(source))) {
    const { phase, reason: why = "" } = source;
    const isSilent = why.includes("timed out");
    return (
      <div class="banner failed" role="alert">
        <div class="why">
          <strong>
            {phase === "closed"
              ? "The connection has ended."
              : isSilent
                ? "The server does not respond."
                : "The server cannot be reached."}
          </strong>{" "}
          <Reason text={why} />
        </div>
        <button type="button" onClick={() => void attempt({ do: "connect" })}>
          Connect again
        </button>
      </div>
    );
  }
  return null;
}
