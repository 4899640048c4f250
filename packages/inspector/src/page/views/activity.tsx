import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";

import type { Summary } from "../../wire/summary.ts";
import { createCollector } from "../collector.ts";
import { asSchema } from "../form/shape.ts";
import { clockTime, duration } from "../format.ts";
import { Status } from "../parts/status.tsx";
import { attempt, definitions, selected, state, view } from "../store.ts";
import { Cors } from "./cors.tsx";

/** Lines that open in the timeline, the newest first. */
function Lines({ items, empty, label }: { items: readonly Summary[]; empty: string; label: string }): VNode {
  return items.length === 0 ? (
    <p class="dim">{empty}</p>
  ) : (
    <ul class="related" aria-label={label}>
      {items.map((line) => (
        <li key={line.seq}>
          <button
            type="button"
            onClick={() => {
              selected.value = line.seq;
              view.value = "timeline";
            }}
          >
            <span class="at">{clockTime(line.at)}</span>
            <span>{line.to === "server" ? "→" : line.to === "client" ? "←" : "·"}</span>
            <span class="kind">{line.subject ?? line.kind}</span>
            <span class="preview">
              {line.method ?? ""} {line.preview}
            </span>
            <Status line={line} />
          </button>
        </li>
      ))}
    </ul>
  );
}

const taskLines = createCollector(
  ({ method, preview }) =>
    method?.includes("tasks/") === true || /"(?:taskId|resultType":"task)"/.test(preview),
);

/** The tasks of the session, by their messages. */
export function Tasks(): VNode {
  const { items } = taskLines;
  const tasks = new Map<string, Summary>();
  for (const line of items) {
    const id = /"taskId":"([^"]{1,100})"/.exec(line.preview)?.[1];
    if (id !== undefined && !tasks.has(id)) {
      tasks.set(id, line);
    }
  }
  const isOpen = state.value?.source.phase === "open";
  const send = (method: string, taskId: string): void =>
    void attempt({ do: "call", call: crypto.randomUUID(), method, params: { taskId } });
  return (
    <div class="page">
      <h2>Tasks</h2>
      {tasks.size === 0 && <p class="dim">The server has started no task.</p>}
      {[...tasks].map(([id, line]) => (
        <section key={id} class="card" aria-label={`Task ${id}`}>
          <h3>
            {id} <span class="tag">{/"status":"([a-z_]+)"/.exec(line.preview)?.[1] ?? "unknown"}</span>
          </h3>
          <p class="facts">
            <span>last heard of at {clockTime(line.at)}</span>
            {isOpen && (
              <>
                <button type="button" onClick={() => send("tasks/get", id)}>
                  Get the state
                </button>
                <button type="button" onClick={() => send("tasks/cancel", id)}>
                  Cancel the task
                </button>
              </>
            )}
          </p>
        </section>
      ))}
      {items.length > 0 && <h3>Messages</h3>}
      <Lines items={items} empty="" label="Messages of tasks" />
    </div>
  );
}

const changeLines = createCollector(
  ({ method }) =>
    method?.includes("subscri") === true ||
    method?.endsWith("_changed") === true ||
    method?.endsWith("/updated") === true,
);

/** The resources that are watched, and the changes that the server has reported. */
export function Subscriptions(): VNode {
  const [uri, setUri] = useState("");
  const { watched = [], source } = state.value ?? {};
  const isOpen = source?.phase === "open";
  const { items } = changeLines;
  const listed = (definitions.value?.resources ?? []).map((one) => String(asSchema(one)["uri"]));
  const watch = async (): Promise<void> => {
    if (await attempt({ do: "watch", uri })) {
      setUri("");
    }
  };
  return (
    <div class="page">
      <h2>Subscriptions</h2>
      {isOpen && (
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
      <Lines items={items} empty="No change was reported." label="Changes" />
    </div>
  );
}

const levels = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** Log messages and progress of the server. */
export function Logs(): VNode {
  const isOpen = state.value?.source.phase === "open";
  const [least, setLeast] = useState("debug");
  const setLevel = (level: string): void => {
    setLeast(level);
    if (isOpen) {
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
      <Lines items={items} empty="The server has logged nothing." label="Log messages and progress" />
    </div>
  );
}

/** The steps of a login as the specification names them, by the path of their requests. */
const steps: readonly (readonly [RegExp, string])[] = [
  [/\/\.well-known\/oauth-protected-resource/, "Metadata of the protected resource (RFC 9728)"],
  [
    /\/\.well-known\/(?:oauth-authorization-server|openid-configuration)/,
    "Metadata of the authorization server (RFC 8414)",
  ],
  [/\/(?:register|registration)\b/, "Registration of the client (RFC 7591)"],
  [/\/(?:token)\b/, "Token request (RFC 6749)"],
  [/\/(?:authorize|authorization|par)\b/, "Authorization request (RFC 6749, RFC 9126)"],
];

const stepLines = createCollector(({ kind }) => kind === "auth" || kind === "http");

/** The steps of a login and the HTTP exchanges, with a verdict for each. */
export function Auth(): VNode {
  const items = stepLines.items.toReversed();
  return (
    <div class="page">
      <h2>Login and HTTP</h2>
      {items.length === 0 ? (
        <p class="dim">No login and no HTTP exchange was observed. Servers over stdio have neither.</p>
      ) : (
        <table>
          <caption>Each step with its rule and its verdict</caption>
          <thead>
            <tr>
              {["time", "step", "request", "verdict", "duration"].map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {items.map((line) => (
              <tr key={line.seq}>
                <td>{clockTime(line.at)}</td>
                <td>
                  {line.kind === "auth"
                    ? "State of the login"
                    : (steps.find(([path]) => path.test(line.subject ?? ""))?.[1] ?? "Request to the server")}
                </td>
                <td>
                  <button
                    type="button"
                    class="link"
                    onClick={() => {
                      selected.value = line.seq;
                      view.value = "timeline";
                    }}
                  >
                    {line.subject}
                  </button>
                </td>
                <td>
                  <Status line={line} />
                </td>
                <td>{duration(line.ms)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Cors />
    </div>
  );
}
