import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { CallState, InputRequest } from "../../wire/state.ts";
import type { Progress, Summary } from "../../wire/summary.ts";
import { duration, size } from "../format.ts";
import { mayFocus } from "../parts/own-moves.ts";
import { ProgressBar } from "../parts/progress.tsx";
import { Reason } from "../parts/reason.tsx";
import { keepInView } from "../parts/scroll-to.ts";
import { Status } from "../parts/status.tsx";
import { Result } from "../result/result.tsx";
import { answers, attempt, belonging, isOpen, lineOf, showLine, state, tasks, version } from "../store.ts";
import { isOver, progressOfTask, type SeenTask } from "../tasks.ts";
import { asksOf, focusAsk, unseen } from "./asking.ts";
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
        <button type="button" disabled={!isOpen.value} onClick={() => void read()}>
          Read the resource
        </button>
      </p>
      {call !== undefined && <Outcome call={call} depth={depth + 1} />}
    </>
  );
}

function Asks({ requests }: { requests: readonly InputRequest[] }): VNode {
  const box = useRef<HTMLDivElement>(null);
  const last = requests.at(-1);
  useEffect(() => {
    box.current?.scrollIntoView({ block: "nearest" });
    if (box.current !== null && mayFocus()) {
      focusAsk(box.current);
      unseen.current = last?.id;
    }
  }, [last?.id]);
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
function TaskFacts({ task, hasFailed }: { task: SeenTask; hasFailed: boolean }): VNode {
  const { id, status, lines } = task;
  return (
    <p class="facts" aria-label={`Task ${id}`}>
      <span class="tag">task</span> <code>{id}</code>
      <span>
        {status === "completed" && hasFailed
          ? "The task is completed, and its tool has failed."
          : (taskWords[status ?? ""] ?? status)}
      </span>
      <span>{lines.length} messages</span>
    </p>
  );
}

/** The words for calls that do not run. A call runs on for a moment after its response was seen. */
const endWords: Readonly<Record<CallState["phase"], string>> = {
  running: "Done",
  done: "Done",
  failed: "Failed",
  cancelled: "Cancelled",
};

function endWord({ phase, needsLogin }: CallState): string {
  return needsLogin === true ? "Refused" : endWords[phase];
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
    const word = hasAsks ? "The task needs input first." : isRunning ? "Running as a task…" : endWord(found);
    return endedAs(word, lineOf(task.outcome));
  }
  // The response is seen before the end of the call. That of a round is an input request, which has
  // a form.
  const isRound = found.phase === "running" && answer?.outcome === "input";
  const isRunning = found.phase === "running" && (answer === undefined || isRound);
  const word = hasAsks ? "The server needs input first." : isRunning ? "Running…" : endWord(found);
  return endedAs(word, isRound ? undefined : answer);
}

/** The word and the line of a call. What has failed is not done, and its line says so. */
function endedAs(word: string, line: Summary | undefined): ReturnType<typeof resultOf> {
  const hasFailed = line?.outcome === "failed" || line?.outcome === "error";
  return { word: hasFailed && (word === "Done" || word === "Failed") ? "" : word, line };
}

/** The request that began a call, and how long the server worked for it in all rounds. */
function beginOf(request: number | undefined): { first: Summary | undefined; rounds: number; ms: number } {
  let first = lineOf(request);
  let rounds = first === undefined ? 0 : 1;
  let ms = answers.get(request ?? 0)?.ms ?? 0;
  for (let next = lineOf(first?.continues); next !== undefined; next = lineOf(next.continues)) {
    first = next;
    rounds++;
    ms += answers.get(next.seq)?.ms ?? 0;
  }
  return { first, rounds, ms };
}

/** How long a call took, with the time in which the server waited for the person. */
function Took({ request, end }: { request: number | undefined; end: Summary }): VNode | null {
  const { first, rounds, ms } = beginOf(request);
  return first === undefined ? null : (
    <span>
      {duration(end.at - first.at)}
      {rounds > 1 && `, ${duration(ms)} of it at the server in ${rounds} rounds`}
    </span>
  );
}

interface FailureProps {
  readonly call: CallState;
  readonly error: string;
  readonly again: OutcomeProps["again"];
}

/** Why a call failed. If it was refused for its login, it can be sent again by a new connection. */
function Failure({ call, error, again }: FailureProps): VNode {
  const isReady = call.needsLogin === true && isOpen.value && state.value?.source.login === undefined;
  return (
    <>
      <div class="failure">
        <Reason text={error} />
      </div>
      {isReady && again !== undefined && (
        <p class="send">
          <span>If you have logged in since, send what the form contains.</span>
          <button type="button" class="primary" onClick={again}>
            Send it again
          </button>
        </p>
      )}
    </>
  );
}

/** Properties of {@link Outcome}. */
export interface OutcomeProps {
  readonly call: string;
  readonly depth?: number;
  /** Whether the person has just started the call: its result is scrolled into view. */
  readonly isNew?: boolean;
  /** Makes the call once more. */
  readonly again?: (() => void) | undefined;
}

/** What became of a call: its progress, what the server asks for it, its result or its error. */
export function Outcome({ call, depth = 0, isNew = false, again }: OutcomeProps): VNode | null {
  const box = useRef<HTMLElement>(null);
  const hasStarted = state.value?.calls.some((one) => one.call === call) === true;
  useEffect(() => (isNew && box.current !== null ? keepInView(box.current) : undefined), [call, hasStarted]);
  const running = state.value?.calls.filter((one) => one.phase === "running").length ?? 0;
  const found = state.value?.calls.find((one) => one.call === call);
  if (found === undefined || version.value < 0) {
    return null;
  }
  const { phase, request, error } = found;
  const end = request === undefined ? undefined : answers.get(request);
  const answered = end?.kind === "response" ? lineOf(end.seq) : undefined;
  const task = tasks.of(answered);
  const progress =
    phase === "running" && request !== undefined
      ? (progressOf(request) ?? (task === undefined ? undefined : progressOfTask(task)))
      : undefined;
  const requests = depth === 0 ? asksOf(found, task) : [];
  const { word, line } = resultOf(found, answered, task, requests.length > 0);
  return (
    <section class="outcome" ref={box} tabIndex={-1} aria-label="Result" aria-busy={phase === "running"}>
      <p class="facts" role="status">
        {word !== "" && <strong>{word}</strong>}
        {line !== undefined && <Status line={line} answer={answers.get(line.seq)} />}
        {line !== undefined && <Took request={request} end={line} />}
        {line !== undefined && <span>{size(line.bytes)}</span>}
        {phase === "running" && (
          <button type="button" onClick={() => void attempt({ do: "cancel", call })}>
            Cancel the call
          </button>
        )}
        {line !== undefined && (
          <button type="button" class="link" onClick={() => showLine(line.seq)}>
            Show in the timeline
          </button>
        )}
      </p>
      {task !== undefined && <TaskFacts task={task} hasFailed={line?.outcome === "failed"} />}
      {progress !== undefined && <ProgressBar progress={progress} />}
      {requests.length > 0 && <Asks requests={requests} />}
      {requests.some((one) => one.call === undefined && one.task === undefined) && running > 1 && (
        <p class="dim">{running} calls run, and the server does not say which of them asks.</p>
      )}
      {error !== undefined && line?.outcome !== "error" && (
        <Failure call={found} error={error} again={again} />
      )}
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
