import type { CallState, InputRequest } from "../../wire/state.ts";
import { server } from "../servers.ts";
import { lineOf, state, tasks, version } from "../store.ts";
import type { SeenTask } from "../tasks.ts";

/** The name of the tool or prompt, or the URI, whose call asks, if it is known. */
export function askerOf({ call, task }: InputRequest): string | undefined {
  const found = state.value?.calls.find((one) => one.call === call);
  const seen = task === undefined || version.value < 0 ? undefined : tasks.get(task, server.value);
  return (lineOf(found?.request) ?? lineOf(seen?.lines[0]?.request))?.subject;
}

/** The input requests that wait for a task. */
export function asksOfTask({ id }: SeenTask): readonly InputRequest[] {
  return (state.value?.inputRequests ?? []).filter(({ task }) => task === id);
}

/**
 * The input requests that wait for a call, and those that name neither a call nor a task: they may
 * be of any call that runs.
 */
export function asksOf({ call, phase }: CallState, task: SeenTask | undefined): readonly InputRequest[] {
  return phase !== "running"
    ? []
    : (state.value?.inputRequests ?? []).filter((request) =>
        request.call === undefined
          ? request.task === undefined || request.task === task?.id
          : request.call === call,
      );
}
