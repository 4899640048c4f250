import type { VNode } from "preact";

import { clockTime } from "../format.ts";
import { Empty } from "../parts/empty.tsx";
import { ProgressBar } from "../parts/progress.tsx";
import { Result } from "../result/result.tsx";
import { attempt, isOfServer, isOpen, lineOf, state, tasks, version } from "../store.ts";
import { isOver, progressOfTask, type SeenTask } from "../tasks.ts";
import { asksOfTask } from "./asking.ts";
import { InputRequestCard } from "./input-request.tsx";
import { Lines } from "./lines.tsx";

/** How many tasks are shown. */
const maxShown = 100;

function send(method: string, taskId: string): void {
  void attempt({ do: "call", call: crypto.randomUUID(), method, params: { taskId } });
}

const styles: Readonly<Record<string, string>> = {
  completed: "ok",
  failed: "error",
  cancelled: "cancelled",
  input_required: "input",
  working: "open",
};

interface TaskProps {
  readonly task: SeenTask;
  /** The task changes and stays the same object. A new version has it drawn again. */
  readonly version: number;
}

/** Where a task stands, how it came there, and its result. */
function Task({ task }: TaskProps): VNode {
  const { id, status, lines, outcome } = task;
  const { era } = state.value?.source ?? {};
  const first = lines[0];
  const last = lines.at(-1);
  const states = lines.filter((line, index) => {
    const before = lines.slice(0, index).findLast((one) => one.task?.status !== undefined);
    return line.task?.status !== undefined && line.task.status !== before?.task?.status;
  });
  const result = lineOf(outcome);
  const of = first === undefined ? undefined : lineOf(first.request)?.subject;
  const hasFailed = status === "completed" && result?.outcome === "failed";
  const asks = isOver(status) ? [] : asksOfTask(task);
  const progress = isOver(status) ? undefined : progressOfTask(task);
  return (
    <section class="card" aria-label={`Task ${id}`}>
      <h3>
        <code>{id}</code>{" "}
        <span class={`status ${hasFailed ? "failed" : (styles[status ?? ""] ?? "")}`}>
          {status ?? "unknown"}
          {hasFailed && ", with an error of the tool"}
          {!isOver(status) && !isOpen.value && " when the connection ended"}
        </span>
      </h3>
      <p class="facts">
        {of !== undefined && <span>of {of}</span>}
        {last !== undefined && <span>last heard of at {clockTime(last.at)}</span>}
        {isOpen.value && !isOver(status) && (
          <>
            <button type="button" onClick={() => send("tasks/get", id)}>
              Get the state
            </button>
            <button type="button" onClick={() => send("tasks/cancel", id)}>
              Cancel the task
            </button>
          </>
        )}
        {isOpen.value && isOver(status) && status !== "cancelled" && result === undefined && (
          <button type="button" onClick={() => send(era === "legacy" ? "tasks/result" : "tasks/get", id)}>
            Get the result
          </button>
        )}
      </p>
      {progress !== undefined && <ProgressBar progress={progress} />}
      {asks.map((request) => (
        <InputRequestCard key={request.id} request={request} />
      ))}
      <ol class="history" aria-label={`History of ${id}`}>
        {states.map((line) => (
          <li key={line.seq}>
            <span class="at">{clockTime(line.at)}</span> {line.task?.status}
          </li>
        ))}
      </ol>
      {result !== undefined && <Result key={result.seq} seq={result.seq} subject={of} />}
      <details>
        <summary>{lines.length} messages</summary>
        <Lines items={lines} label={`Messages of ${id}`} />
      </details>
    </section>
  );
}

/** The tasks of the session, by their messages. */
export function Tasks(): VNode {
  const all = version.value < 0 ? [] : tasks.all().filter(isOfServer);
  return (
    <div class="page">
      <h2>Tasks</h2>
      {all.length === 0 && (
        <Empty title="The server has started no task.">
          Call a tool that runs as a task: its states and its result appear here, and below the call in Try.
        </Empty>
      )}
      {all.slice(0, maxShown).map((task) => (
        <Task key={task.id} task={task} version={version.value} />
      ))}
    </div>
  );
}
