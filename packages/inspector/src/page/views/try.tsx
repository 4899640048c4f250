import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { SourceState } from "../../wire/state.ts";
import { Editor } from "../form/editor.tsx";
import { keyLabel } from "../machine.ts";
import { Empty } from "../parts/empty.tsx";
import { isLost } from "../parts/phase.ts";
import { Text } from "../result/text.tsx";
import { definitions, draft, isOpen, state, unsay } from "../store.ts";
import { Outcome } from "./outcome.tsx";
import { RequestOptions } from "./request-options.tsx";
import { TargetList } from "./target-list.tsx";
import { targetsOf, type Target } from "./targets.ts";
import {
  editorId,
  fill,
  here,
  newest,
  open,
  problems,
  runningCall,
  send,
  started,
  store,
  valueOf,
} from "./try-state.ts";

function Hints({ target }: { target: Target }): VNode | null {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = target.annotations;
  const hints = [
    readOnlyHint === true && "read only",
    destructiveHint === true && "destructive",
    idempotentHint === true && "idempotent",
    openWorldHint === true && "open world",
  ].filter((hint) => hint !== false);
  return hints.length === 0 ? null : (
    <p class="facts">
      {hints.map((hint) => (
        <span key={hint} class={`tag ${hint}`}>
          {hint}
        </span>
      ))}
      <span class="dim">as the server says</span>
    </p>
  );
}

/** What can be done with the form beside sending it. */
function More({ isOpen }: { isOpen: boolean }): VNode {
  const [name, setName] = useState("");
  return (
    <details class="options">
      <summary>Store the call{problems.value.size > 0 && ", or send it although it is not valid"}</summary>
      <p class="new">
        <input
          type="text"
          aria-label="Name of the stored call"
          placeholder="Store as…"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <button type="button" disabled={name === ""} onClick={() => void store(name)}>
          Store
        </button>
      </p>
      {problems.value.size > 0 && (
        <p class="new">
          <button type="button" disabled={!isOpen} onClick={() => void send(false)}>
            Send it although it is not valid
          </button>
        </p>
      )}
    </details>
  );
}

function Call({ target, isOpen }: { target: Target; isOpen: boolean }): VNode {
  const call = started.value[target.key];
  const isRunning = runningCall(target) !== undefined;
  // A message about a form leaves with the form.
  useEffect(() => unsay, []);
  return (
    <section class="call" aria-label={target.name}>
      <h2>
        {target.title ?? target.name}{" "}
        <code class="dim">
          {target.method} {target.title === undefined ? "" : target.name}
        </code>
      </h2>
      {target.description !== undefined && <Text text={target.description} />}
      <Hints target={target} />
      <Editor
        id={editorId}
        schema={target.schema}
        value={valueOf(target)}
        onChange={(value) => fill(target, value)}
        label={`Arguments of ${target.name}`}
        problems={problems}
      />
      <p class="send">
        {isRunning ? (
          <button type="button" disabled={!isOpen} onClick={() => void send(true, true)}>
            Send again
          </button>
        ) : (
          <button type="button" class="primary" disabled={!isOpen} onClick={() => void send()}>
            Send <kbd aria-hidden="true">{keyLabel("mod+Enter")}</kbd>
          </button>
        )}
      </p>
      <RequestOptions target={target.key} />
      <More isOpen={isOpen} />
      {call !== undefined && (
        <Outcome key={call} call={call} isNew={call === newest.value} again={() => void send()} />
      )}
    </section>
  );
}

/** Why nothing can be tried yet, and what to do. */
function NotConnected({ source }: { source: SourceState | undefined }): VNode {
  if (source?.phase === "connecting" || source?.login?.phase === "running") {
    return <Empty title="The server is not connected yet.">Its tools will be listed here.</Empty>;
  }
  const what =
    source?.login === undefined
      ? source !== undefined && (source.phase === "failed" || isLost(source))
        ? "Connect again"
        : "Connect"
      : source.login.phase === "failed"
        ? "Log in again"
        : "Log in";
  return (
    <Empty
      title={source?.login === undefined ? "The server is not connected." : "The server requires a login."}
    >
      Choose <strong>{what}</strong> above. Its tools will be listed here.
    </Empty>
  );
}

/** The tools, prompts and resources of the server, each with a form. */
export function Try(): VNode {
  useEffect(() => {
    const given = draft.value;
    if (given !== undefined && definitions.value !== undefined) {
      draft.value = undefined;
      open(given.method, given.params);
    }
  }, [draft.value, definitions.value]);
  const targets = targetsOf(definitions.value);
  const target = here();
  const source = state.value?.source;
  if (source !== undefined && source.kind !== "live") {
    return (
      <Empty title="There is no server to send requests to.">
        A {source.kind} only shows what was said. <code>tenon inspect &lt;target&gt;</code> connects to a
        server.
      </Empty>
    );
  }
  return (
    <div class="try">
      <TargetList targets={targets} current={target} />
      {target === undefined ? (
        isOpen.value && definitions.value === undefined ? (
          <p class="empty">Reading the lists of the server…</p>
        ) : isOpen.value ? (
          <Empty title="The server offers nothing to try.">
            It lists no tools, prompts or resources. If it should, look at its responses in the timeline.
          </Empty>
        ) : (
          <NotConnected source={source} />
        )
      ) : (
        <Call key={target.key} target={target} isOpen={isOpen.value} />
      )}
      {(definitions.value?.problems ?? []).map((problem) => (
        <p key={problem} class="problem">
          {problem}
        </p>
      ))}
    </div>
  );
}
