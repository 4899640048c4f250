import type { VNode } from "preact";

import { asSchema, text } from "../form/shape.ts";
import { clockTime } from "../format.ts";
import { Elapsed } from "../parts/elapsed.tsx";
import { Empty } from "../parts/empty.tsx";
import { Status } from "../parts/status.tsx";
import { plainLine } from "../result/markdown.ts";
import { Text } from "../result/text.tsx";
import { answers, definitions, lastLines, showLine, state, version, view } from "../store.ts";
import type { View } from "../view-table.ts";
import { Cost } from "./cost.tsx";
import { Servers } from "./servers.tsx";
import { EffectMark } from "./target-list.tsx";
import { targetsOf, type Target } from "./targets.ts";
import { chosen, openForm } from "./try-state.ts";

/** How many tools and lines are shown. */
const maxTools = 8;
const maxLines = 8;

/** Opens a target; by a key, with the focus in its form. */
function openTarget({ key }: Target, { detail }: MouseEvent): void {
  if (detail === 0) {
    openForm(key);
  } else {
    chosen.value = key;
    view.value = "try";
  }
}

function Tile({ count, word, to }: { count: number; word: string; to: (event: MouseEvent) => void }): VNode {
  return (
    <li>
      <button type="button" class="tile" disabled={count === 0} onClick={to}>
        <strong>{count}</strong> {word}
      </button>
    </li>
  );
}

function plural(count: number, word: string): string {
  return count === 1 ? word : `${word}s`;
}

/** The number of everything that the server offers. Each leads to its first. */
function Counts({ targets }: { targets: readonly Target[] }): VNode {
  const kinds = [
    ["tool", "tool"],
    ["prompt", "prompt"],
    ["resource", "resource"],
    ["template", "template"],
  ] as const;
  return (
    <ul class="tiles" aria-label="What the server offers">
      {kinds.map(([kind, word]) => {
        const found = targets.filter((target) => target.kind === kind);
        const [first] = found;
        return (
          <Tile
            key={kind}
            count={found.length}
            word={plural(found.length, word)}
            to={(event) => first !== undefined && openTarget(first, event)}
          />
        );
      })}
    </ul>
  );
}

function Tools({ targets }: { targets: readonly Target[] }): VNode {
  const tools = targets.filter(({ kind }) => kind === "tool");
  return (
    <section aria-labelledby="call-a-tool">
      <h2 id="call-a-tool">Call a tool</h2>
      {tools.length === 0 ? (
        <Empty title="The server has no tools.">Its prompts and resources, if it has any, are in Try.</Empty>
      ) : (
        <ul class="tools">
          {tools.slice(0, maxTools).map((target) => (
            <li key={target.key}>
              <button type="button" onClick={(event) => openTarget(target, event)}>
                <span class="entry">
                  <span class="entry-name">{target.title ?? target.name}</span>
                  <span class="effect">
                    <EffectMark target={target} />
                  </span>
                </span>
                <span class="entry-text">{plainLine(target.description ?? target.name)}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {tools.length > maxTools && (
        <p>
          <button
            type="button"
            onClick={() => {
              view.value = "try";
            }}
          >
            All {tools.length} tools
          </button>
        </p>
      )}
    </section>
  );
}

function Traffic(): VNode {
  const last = version.value < 0 ? [] : lastLines(maxLines);
  const go = (to: View) => () => {
    view.value = to;
  };
  return (
    <section aria-labelledby="traffic">
      <h2 id="traffic">Last messages</h2>
      {last.length === 0 ? (
        <Empty title="Nothing was said yet.">Every message in both directions will be listed here.</Empty>
      ) : (
        <>
          <ul class="related" aria-label="Last messages">
            {last.map((line) => (
              <li key={line.seq}>
                <button type="button" onClick={() => showLine(line.seq)}>
                  <span class="at">{clockTime(line.at)}</span>
                  <span class={`arrow ${line.to ?? ""}`}>
                    {line.to === "server" ? "→" : line.to === "client" ? "←" : "·"}
                  </span>
                  <span class="kind">{line.kind}</span>
                  <span class="preview">
                    {line.method ?? ""} {line.subject ?? ""}
                  </span>
                  <Status line={line} answer={answers.get(line.seq)} />
                </button>
              </li>
            ))}
          </ul>
          <p class="send">
            <button type="button" onClick={go("timeline")}>
              All messages
            </button>
            <button type="button" onClick={go("waterfall")}>
              Their durations
            </button>
          </p>
        </>
      )}
    </section>
  );
}

/** The first screen: what the server is, what it says of itself, and what can be done with it. */
export function Start(): VNode {
  const source = state.value?.source;
  if (source === undefined) {
    return <p class="empty">Connecting to the inspector…</p>;
  }
  const { serverInfo, instructions, label, revision, era, serverCapabilities } = source;
  const { name, title, version: release, description, websiteUrl } = asSchema(serverInfo);
  const heading = text(title ?? name ?? label);
  const targets = targetsOf(definitions.value);
  const abilities = Object.keys(serverCapabilities ?? {});
  return (
    <div class="page start">
      <section class="hello" aria-label="The server">
        <h2>
          {heading} {release !== undefined && <span class="dim">{text(release)}</span>}
        </h2>
        <p class="facts">
          {heading !== label && <code>{label}</code>}
          {revision !== undefined && (
            <span>
              {revision} ({era})
            </span>
          )}
          {abilities.map((ability) => (
            <span key={ability} class="tag">
              {ability}
            </span>
          ))}
          {typeof websiteUrl === "string" && <code>{websiteUrl}</code>}
        </p>
        {typeof description === "string" && <p class="description">{description}</p>}
        {source.phase === "connecting" && (
          <p class="dim">
            Connecting…
            <Elapsed />
          </p>
        )}
      </section>
      {instructions !== undefined && instructions !== "" && (
        <section class="card" aria-label="Instructions of the server">
          <h3>Instructions of the server, for models</h3>
          <Text text={instructions} />
        </section>
      )}
      {definitions.value !== undefined && (
        <>
          <Counts targets={targets} />
          {definitions.value.problems.map((problem) => (
            <p key={problem} class="problem">
              {problem}
            </p>
          ))}
          <Tools targets={targets} />
          <Cost tools={definitions.value.tools} />
        </>
      )}
      <Traffic />
      <Servers />
    </div>
  );
}
