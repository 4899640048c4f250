import { viewUriOf } from "@tenon/apps/host";
import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { ViewReport } from "../../wire/verdict.ts";
import { act } from "../api.ts";
import { Editor, noProblems } from "../form/editor.tsx";
import { passes } from "../form/problems.ts";
import { asSchema, initialOf, text, type Schema } from "../form/shape.ts";
import { size } from "../format.ts";
import { Empty } from "../parts/empty.tsx";
import { Json } from "../parts/json.tsx";
import { definitions, say, state } from "../store.ts";
import { showView, type ShownView, type ViewEvent } from "./app-bridge.ts";

/** The most events of a view that are listed. */
const maxEvents = 100;

/** The view in its frame, and what it did. */
function Frame({ shown }: { shown: ShownView }): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [events, setEvents] = useState<readonly ViewEvent[]>([]);
  useEffect(() => {
    setEvents([]);
    const close =
      box.current === null
        ? undefined
        : showView(box.current, shown, (event) =>
            setEvents((before) => [event, ...before].slice(0, maxEvents)),
          );
    return () => void close?.();
  }, [shown]);
  return (
    <>
      <div class="frame" ref={box} />
      <h3>What the view did, the newest first</h3>
      <div class="events" aria-label="What the view did" role="log" tabIndex={0}>
        <ul>
          {events.map(({ title, detail, isProblem }, index) => (
            <li key={events.length - index} class={isProblem === true ? "problem" : ""}>
              <span class="kind">{title}</span> <code>{(JSON.stringify(detail) ?? "").slice(0, 500)}</code>
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

/** The policy of a view, and the sources that its server has declared. */
function Facts({ view }: { view: ViewReport }): VNode {
  const declared = Object.entries(view.csp);
  return (
    <>
      <p class="facts">
        <code>{view.uri}</code>
        <span>{size(new TextEncoder().encode(view.html).length)}</span>
        <span>
          {view.requestedPermissions.length === 0
            ? "asks for no permission"
            : `asks for ${view.requestedPermissions.join(", ")}; gets none`}
        </span>
      </p>
      <table>
        <caption>Content security policy: what the view may load and connect to</caption>
        <tbody>
          {view.policy.split("; ").map((directive) => {
            const [name = "", ...sources] = directive.split(" ");
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <code>{sources.join(" ")}</code>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {declared.length > 0 && <Json value={view.csp} label="Declared origins" />}
      <details>
        <summary>Source of the view</summary>
        <div class="json">
          <pre class="raw" tabIndex={0} role="region" aria-label="Source of the view">
            {view.html.slice(0, 100_000)}
          </pre>
        </div>
      </details>
    </>
  );
}

function App({ tool, uri }: { tool: Schema; uri: string }): VNode {
  const schema = asSchema(tool["inputSchema"]);
  const [problems] = useState(noProblems);
  const [value, setValue] = useState<unknown>(() => initialOf(schema, schema) ?? {});
  const [view, setView] = useState<ViewReport>();
  const [shown, setShown] = useState<ShownView>();
  const sandbox = state.value?.sandbox;
  const editor = `app-${String(tool["name"])}`;
  const load = async (): Promise<ViewReport> => {
    const found = (await act({ do: "view", uri })) as ViewReport;
    setView(found);
    return found;
  };
  const show = async (): Promise<void> => {
    if (sandbox !== undefined && passes(editor, problems.peek())) {
      setShown({ tool, view: await load(), args: asSchema(value), sandbox });
    }
  };
  return (
    <section class="card" aria-label={String(tool["name"])}>
      <h3>
        {text(tool["title"] ?? tool["name"])} <code class="dim">{uri}</code>
      </h3>
      <Editor
        id={editor}
        schema={schema}
        value={value}
        onChange={setValue}
        label={`Arguments of ${String(tool["name"])}`}
        problems={problems}
      />
      <p class="send">
        <button
          type="button"
          class="primary"
          disabled={sandbox === undefined}
          onClick={() => void show().catch(say)}
        >
          Call the tool and show the view
        </button>
        <button type="button" onClick={() => void load().catch(say)}>
          Load the view only
        </button>
        {shown !== undefined && (
          <button type="button" onClick={() => setShown(undefined)}>
            End the view
          </button>
        )}
      </p>
      {sandbox === undefined && (
        <p class="dim">Views are shown on another origin. The inspector has none: set its option sandbox.</p>
      )}
      {shown !== undefined && <Frame shown={shown} />}
      {view !== undefined && <Facts view={view} />}
    </section>
  );
}

/** The tools with views, each with its policy, and its view in a sandbox on another origin. */
export function Apps(): VNode {
  const tools = (definitions.value?.tools ?? []).flatMap((tool) => {
    const uri = viewUriOf(tool);
    return uri === undefined ? [] : [[asSchema(tool), uri] as const];
  });
  return (
    <div class="page">
      <h2>Apps</h2>
      {tools.length === 0 && (
        <Empty title="No tool of the server has a view.">
          A tool with a view, a page of its server for people, names it in its metadata. The view then runs
          here.
        </Empty>
      )}
      {tools.map(([tool, uri]) => (
        <App key={String(tool["name"])} tool={tool} uri={uri} />
      ))}
    </div>
  );
}
