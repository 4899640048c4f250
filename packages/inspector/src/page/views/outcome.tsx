import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { CallState, InputRequest } from "../../wire/state.ts";
import type { Progress, Summary } from "../../wire/summary.ts";
import { duration, size } from "../format.ts";
import { ProgressBar } from "../parts/progress.tsx";
import { Status } from "../parts/status.tsx";
import { Result } from "../result/result.tsx";
import { answers, attempt, belonging, lineOf, showLine, state, tasks, version } from "../store.ts";
import { isOver, type SeenTask } from "../tasks.ts";
import { InputRequestCard } from "./input-request.tsx";

/** The progress that came last for a request. */
function progressOf(request: number): Progress | undefined {
  return belonging.of(request).findLast(({ progress }) => progress !== undefined)?.progress;
}

/** How deep links to resources are followed in one place. */
const maxDepth = 5;

/** A link to a resource, with what is behind it once the person has asked. */
function ReadLink({ uri, depth }: { uri: string; depth: number }): VNode {
  const [call, setCall] = useState<string>();
  const read = async (): Promise<void> => {
    const id = crypto.randomUUID();
    if (await attempt({ do: "call", call: id, method: "resources/read", params: { uri } })) {
      setCall(id);
    }
  };
  return (
    <>
      <p class="send">
        <button type="button" disabled={state.value?.source.phase !== "open"} onClick={() => void read()}>
          Read the resource
        </button>
      </p>
      {call !== undefined && <Outcome call={call} depth={depth + 1} />}
    </>
  );
}

/** The requests of the server that belong to a call, as far as the connection says so. */
function asksOf({ call, phase }: CallState): readonly InputRequest[] {
  return phase !== "running"
    ? []
    : (state.value?.inputRequests ?? []).filter(
        (request) => request.call === call || request.call === undefined,
      );
}

function Asks({ requests }: { requests: readonly InputRequest[] }): VNode {
  const box = useRef<HTMLDivElement>(null);
  const last = requests.at(-1);
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), [last?.id]);
  return (
    <div class="asks" ref={box}>
      {requests.map((request) => (
        <InputRequestCard key={request.id} request={request} />
      ))}
    </div>
  );
}

const taskWords: Readonly<Record<string, string>> = {
  working: "The task works…",
  input_required: "The task needs input.",
  completed: "The task is completed.",
  failed: "The task has failed.",
  cancelled: "The task was cancelled.",
};

/** A task: its ID, its state, and what it has come to. */
function TaskFacts({ task }: { task: SeenTask }): VNode {
  const { id, status, lines } = task;
  return (
    <p class="facts" aria-label={`Task ${id}`}>
      <span class="tag">task</span> <code>{id}</code>
      <span>{taskWords[status ?? ""] ?? status}</span>
      <span>{lines.length} messages</span>
    </p>
  );
}

/** The line with the result of a call, and the word for its state. */
function resultOf(
  found: CallState,
  answer: Summary | undefined,
  task: SeenTask | undefined,
  hasAsks: boolean,
): { readonly word: string; readonly line: Summary | undefined } {
  if (task !== undefined) {
    const isRunning = found.phase === "running" && !isOver(task.status);
    const word = hasAsks
      ? "The task needs input first."
      : isRunning
        ? "Running as a task…"
        : found.phase === "failed"
          ? "Failed"
          : "Done";
    return { word, line: lineOf(task.outcome) };
  }
  // The response is seen before the end of the call. That of a round is an input request, which has
  // a form.
  const isRound = found.phase === "running" && answer?.outcome === "input";
  const isRunning = found.phase === "running" && (answer === undefined || isRound);
  return {
    word: hasAsks
      ? "The server needs input first."
      : isRunning
        ? "Running…"
        : found.phase === "failed"
          ? "Failed"
          : "Done",
    line: isRound ? undefined : answer,
  };
}

/** What became of a call: its progress, what the server asks for it, its result or its error. */
export function Outcome({ call, depth = 0 }: { call: string; depth?: number }): VNode | null {
  const found = state.value?.calls.find((one) => one.call === call);
  if (found === undefined || version.value < 0) {
    return null;
  }
  const { phase, request, error } = found;
  const answered = request === undefined ? undefined : lineOf(answers.get(request)?.seq);
  const task = tasks.of(answered);
  const progress = phase === "running" && request !== undefined ? progressOf(request) : undefined;
  const requests = depth === 0 ? asksOf(found) : [];
  const { word, line } = resultOf(found, answered, task, requests.length > 0);
  return (
    <section class="outcome" aria-label="Result" aria-busy={phase === "running"}>
      <p class="facts" role="status">
        <strong>{word}</strong>
        {line !== undefined && <Status line={line} answer={answers.get(line.seq)} />}
        {line !== undefined && task === undefined && <span>{duration(line.ms)}</span>}
        {line !== undefined && <span>{size(line.bytes)}</span>}
        {phase === "running" && (
          <button type="button" onClick={() => void attempt({ do: "cancel", call })}>
            Cancel
          </button>
        )}
        {line !== undefined && (
          <button type="button" class="link" onClick={() => showLine(line.seq)}>
            Show in the timeline
          </button>
        )}
      </p>
      {task !== undefined && <TaskFacts task={task} />}
      {progress !== undefined && <ProgressBar progress={progress} />}
      {requests.length > 0 && <Asks requests={requests} />}
      {error !== undefined && line?.outcome !== "error" && <p class="failure plain">{error}</p>}
      {line !== undefined && (
        <Result
          key={line.seq}
          seq={line.seq}
          subject={answered?.subject}
          read={depth < maxDepth ? (uri) => <ReadLink uri={uri} depth={depth} /> : undefined}
        />
      )}
    </section>
  );
}
