import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { Summary } from "../../wire/summary.ts";
import { act, readWhole } from "../api.ts";
import { addCommands } from "../commands.ts";
import { asSchema } from "../form/shape.ts";
import { clockTime, duration, size } from "../format.ts";
import { marked } from "../other.ts";
import { LineText } from "../parts/json.tsx";
import { save } from "../parts/save.ts";
import { Status } from "../parts/status.tsx";
import {
  answers,
  belonging,
  draft,
  goTo,
  inspector,
  isOpen,
  lineOf,
  say,
  selected,
  version,
  view,
} from "../store.ts";

/** Parameters that are not repeated. */
const ofOneRequest = ["_meta", "requestState", "inputResponses"];

/** Metadata that the client adds to every request itself. */
const ofTheClient = /^(?:progressToken$|io\.modelcontextprotocol\/)/;

/** The most lines of a request that are listed. */
const maxRelated = 100;
const maxRounds = 50;

/** The request of the selected line, if the page can send it again. */
function replayable(): Summary | undefined {
  const line = lineOf(selected.value);
  const request = line?.kind === "request" ? line : lineOf(line?.request);
  return request?.to === "server" && request.method !== "initialize" ? request : undefined;
}

/** The method and the parameters of a request, without what belongs to that one request. */
async function contentOf(
  line: Summary,
): Promise<{ method: string; params: Record<string, unknown> } | undefined> {
  const text = await readWhole(line.seq);
  if (text === undefined) {
    say("The request is too long to be sent again.");
    return undefined;
  }
  const { method, params = {} } = JSON.parse(text) as { method: string; params?: Record<string, unknown> };
  const own = Object.entries(params).filter(([name]) => !ofOneRequest.includes(name));
  const meta = Object.entries(asSchema(params["_meta"])).filter(([name]) => !ofTheClient.test(name));
  return {
    method,
    params: { ...Object.fromEntries(own), ...(meta.length === 0 ? {} : { _meta: Object.fromEntries(meta) }) },
  };
}

async function replay(): Promise<void> {
  const line = replayable();
  const content = line === undefined ? undefined : await contentOf(line);
  if (content !== undefined) {
    // The page may show the lines of all servers.
    await act({ do: "call", call: crypto.randomUUID(), ...content }, line?.server);
    say(`${content.method} was sent again.`);
  }
}

async function edit(): Promise<void> {
  const line = replayable();
  const content = line === undefined ? undefined : await contentOf(line);
  if (content !== undefined) {
    if (line?.server !== undefined) {
      if (inspector.value?.servers.every(({ id }) => id !== line.server) === true) {
        throw new Error("The server was removed.");
      }
      goTo(line.server);
    }
    draft.value = content;
    view.value = "try";
  }
}

const canReplay = (): boolean => view.value === "timeline" && isOpen.value && replayable() !== undefined;

/** The methods whose requests become tests. */
const tested = ["tools/call", "prompts/get", "resources/read", "completion/complete"];

const canTest = (): boolean =>
  view.value === "timeline" && tested.includes(lineOf(selected.value)?.method ?? "");
const saveTest = (): void => {
  const line = lineOf(selected.value);
  void save("test", line?.seq, line?.server).catch(say);
};

addCommands(
  { title: "Export the selected call as a test file", keys: "s", when: canTest, run: saveTest },
  {
    title: "Send the selected request again",
    keys: "r",
    when: canReplay,
    run: () => void replay().catch(say),
  },
  {
    title: "Change the selected request and send it",
    keys: "t",
    when: canReplay,
    run: () => void edit().catch(say),
  },
);

/** The lines of all rounds of the request that a line belongs to, in order. */
function relatedOf(line: Summary): readonly Summary[] {
  const root = line.kind === "request" ? line.seq : (line.request ?? line.seq);
  const first = lineOf(root)?.continues ?? root;
  const start = lineOf(first);
  const found = new Map<number, Summary>();
  const add = (one: Summary, depth: number): void => {
    if (found.size < maxRelated && !found.has(one.seq)) {
      found.set(one.seq, one);
      if (one.kind === "request" && depth < maxRounds) {
        belonging.of(one.seq).forEach((next) => add(next, depth + 1));
      }
    }
  };
  if (start !== undefined) {
    add(start, 0);
  }
  return [...found.values()].toSorted((one, other) => one.seq - other.seq);
}

/** The selected line in full, and the other lines of its request. */
export function Details(): VNode | null {
  const [raw, setRaw] = useState(false);
  const line = version.value >= 0 ? lineOf(selected.value) : undefined;
  if (line === undefined) {
    return null;
  }
  const related = relatedOf(line);
  const title = line.method ?? line.subject ?? line.kind;
  return (
    <section class="details" aria-label="Details">
      <div class="title">
        <h2>
          {title} {line.method !== undefined && <span class="subject">{line.subject}</span>}
        </h2>
        <button
          type="button"
          aria-label="Close the details"
          onClick={() => {
            selected.value = undefined;
          }}
        >
          ✕
        </button>
      </div>
      <p class="facts">
        <span class={`kind ${line.kind}`}>{line.kind}</span>
        {line.to !== undefined && <span>to the {line.to}</span>}
        {line.id !== undefined && <span>ID {line.id}</span>}
        {line.era !== undefined && <span>{line.era}</span>}
        <span>{clockTime(line.at)}</span>
        {line.ms !== undefined && <span>{duration(line.ms)}</span>}
        <span>{size(line.bytes)}</span>
        <Status line={line} answer={answers.get(line.seq)} />
      </p>
      {line.cut === true && <p class="problem">The message was too long to be kept whole.</p>}
      <div class="toolbar">
        <button type="button" aria-pressed={raw} onClick={() => setRaw(!raw)}>
          Raw
        </button>
        {canTest() && (
          <button type="button" onClick={saveTest}>
            Save as a test <kbd>s</kbd>
          </button>
        )}
        {canReplay() && (
          <>
            <button type="button" onClick={() => void replay().catch(say)}>
              Send again <kbd>r</kbd>
            </button>
            <button type="button" onClick={() => void edit().catch(say)}>
              Change and send <kbd>t</kbd>
            </button>
          </>
        )}
        <button
          type="button"
          aria-pressed={marked.value === line.seq}
          onClick={() => {
            marked.value = line.seq;
          }}
        >
          Mark <kbd>m</kbd>
        </button>
        {marked.value !== undefined && marked.value !== line.seq && (
          <button
            type="button"
            onClick={() => {
              view.value = "diff";
            }}
          >
            Compare with the marked line <kbd>d</kbd>
          </button>
        )}
      </div>
      <LineText seq={line.seq} raw={raw} label={`${title} as JSON`} />
      {related.length > 1 && (
        <>
          <h3>The whole exchange</h3>
          <ul class="related">
            {related.map((one) => (
              <li key={one.seq}>
                <button
                  type="button"
                  aria-current={one.seq === line.seq ? "true" : undefined}
                  onClick={() => {
                    selected.value = one.seq;
                  }}
                >
                  <span class="at">{clockTime(one.at)}</span>
                  <span>{one.to === "server" ? "→" : "←"}</span>
                  <span class={`kind ${one.kind}`}>{one.kind}</span>
                  <span class="preview">{one.preview}</span>
                  <Status line={one} answer={answers.get(one.seq)} />
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}
