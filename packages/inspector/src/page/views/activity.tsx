import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";

import type { Summary } from "../../wire/summary.ts";
import { createCollector } from "../collector.ts";
import { addCommands } from "../commands.ts";
import { asSchema, text } from "../form/shape.ts";
import { clockTime, duration } from "../format.ts";
import { Empty } from "../parts/empty.tsx";
import { Status } from "../parts/status.tsx";
import { answers, attempt, definitions, isOpen, showLine, state } from "../store.ts";
import { Cors } from "./cors.tsx";
import { Lines } from "./lines.tsx";

const changeLines = createCollector(
  ({ method }) =>
    method?.includes("subscri") === true ||
    method?.endsWith("_changed") === true ||
    method?.endsWith("/updated") === true,
);

/** The resources that are watched, and the changes that the server has reported. */
export function Subscriptions(): VNode {
  const [uri, setUri] = useState("");
  const { watched = [] } = state.value ?? {};
  const { items } = changeLines;
  const listed = (definitions.value?.resources ?? []).map((one) => text(asSchema(one)["uri"]));
  const watch = async (): Promise<void> => {
    if (await attempt({ do: "watch", uri })) {
      setUri("");
    }
  };
  return (
    <div class="page">
      <h2>Subscriptions</h2>
      {isOpen.value && (
        <p class="new">
          <input
            type="text"
            list="resources"
            aria-label="URI of a resource to watch"
            placeholder="URI of a resource"
            value={uri}
            onInput={(event) => setUri(event.currentTarget.value)}
          />
          <datalist id="resources">
            {listed.slice(0, 500).map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
          <button type="button" disabled={uri === ""} onClick={() => void watch()}>
            Watch
          </button>
        </p>
      )}
      <ul aria-label="Watched resources">
        {watched.map((one) => (
          <li key={one} class="property">
            <code>{one}</code>
            <button
              type="button"
              aria-label={`Stop watching ${one}`}
              onClick={() => void attempt({ do: "unwatch", uri: one })}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      <h3>Changes</h3>
      {items.length === 0 ? (
        <Empty title="No change was reported.">
          Watch a resource above. Changes of the lists of the server are reported without that.
        </Empty>
      ) : (
        <Lines items={items} label="Changes" />
      )}
    </div>
  );
}

const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** Log messages and progress of the server. */
export function Logs(): VNode {
  const [least, setLeast] = useState("debug");
  const setLevel = (level: string): void => {
    setLeast(level);
    if (isOpen.value) {
      void attempt({ do: "call", call: crypto.randomUUID(), method: "logging/setLevel", params: { level } });
    }
  };
  const { items } = useMemo(
    () =>
      createCollector(
        ({ method, subject }) =>
          method === "notifications/progress" ||
          (method === "notifications/message" && levels.indexOf(subject ?? "") >= levels.indexOf(least)),
      ),
    [least],
  );
  return (
    <div class="page">
      <h2>Logs and progress</h2>
      <p class="new">
        <label class="name" for="level">
          Least severe level
        </label>
        <select id="level" value={least} onChange={(event) => setLevel(event.currentTarget.value)}>
          {levels.map((level) => (
            <option key={level}>{level}</option>
          ))}
        </select>
      </p>
      {items.length === 0 ? (
        <Empty title="The server has logged nothing.">
          Its log messages and the progress of calls appear here. A server sends logs only from the level on
          that is chosen above. What a program writes to its standard error is not a log message.
        </Empty>
      ) : (
        <Lines items={items} label="Log messages and progress" />
      )}
    </div>
  );
}

/** The steps of a login with their rules, by the path of their requests. */
const steps: readonly (readonly [path: RegExp, step: string, rule: string])[] = [
  [/\/\.well-known\/oauth-protected-resource/, "Metadata of the protected resource", "RFC 9728"],
  [
    /\/\.well-known\/(?:oauth-authorization-server|openid-configuration)/,
    "Metadata of the authorization server",
    "RFC 8414",
  ],
  [/\/(?:reg|register|registration)\b/, "Registration of the client", "RFC 7591"],
  [/\/token\b/, "Token request", "RFC 6749"],
  [/\/(?:par|request)\b/, "Pushed authorization request", "RFC 9126"],
  [/\/(?:authorize|authorization)\b/, "Authorization request", "RFC 6749"],
];

/** The step and the rule of a line. */
function stepOf({ kind, subject = "" }: Summary): readonly [step: string, rule: string] {
  const [, step, rule] = steps.find(([path]) => path.test(subject)) ?? [];
  return kind === "auth"
    ? ["State of the login", ""]
    : [step ?? "Request to the server", rule ?? "MCP, Streamable HTTP"];
}

/** A step of a login, or an HTTP exchange. */
function Step({ line }: { line: Summary }): VNode {
  const [step, rule] = stepOf(line);
  return (
    <tr>
      <td>{clockTime(line.at)}</td>
      <td>{step}</td>
      <td>{rule}</td>
      <td>
        <button type="button" class="link" onClick={() => showLine(line.seq)}>
          {line.subject}
        </button>
      </td>
      <td>
        <Status line={line} answer={answers.get(line.seq)} />
      </td>
      <td>{duration(line.ms)}</td>
    </tr>
  );
}

const stepLines = createCollector(({ kind }) => kind === "auth" || kind === "http");

const logOut = (): void => void attempt({ do: "logout" });

addCommands({
  title: "Log out",
  when: () => isOpen.value && state.value?.source.canLogOut === true,
  run: logOut,
});

/** A further login, and the logout. */
function LoginButtons(): VNode | null {
  const { canLogIn = false, canLogOut = false } = state.value?.source ?? {};
  return canLogIn || canLogOut ? (
    <p>
      {canLogIn && (
        <button type="button" onClick={() => void attempt({ do: "login" })}>
          Log in again
        </button>
      )}{" "}
      {canLogOut && (
        <button type="button" onClick={logOut}>
          Log out
        </button>
      )}{" "}
      <span class="dim">
        To be another user, log out first. A login while you are logged in can add scopes.
      </span>
    </p>
  ) : null;
}

/** The steps of a login and the HTTP exchanges, with a verdict for each. */
export function Auth(): VNode {
  const items = stepLines.items.toReversed();
  return (
    <div class="page">
      <h2>Login and HTTP</h2>
      {isOpen.value && <LoginButtons />}
      {items.length === 0 ? (
        <Empty title="No login and no HTTP exchange was observed.">
          Servers over stdio have neither. Inspect a server by its URL, and each step is a row here.
        </Empty>
      ) : (
        <table class="steps">
          <caption>Each step with its rule and its verdict</caption>
          <thead>
            <tr>
              {["time", "step", "rule", "request", "verdict", "duration"].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((line) => (
              <Step key={line.seq} line={line} />
            ))}
          </tbody>
        </table>
      )}
      <Cors />
    </div>
  );
}
