import type { CallState, InputRequest } from "../../wire/state.ts";
import { server } from "../servers.ts";
import { lineOf, state, tasks, version } from "../store.ts";
import type { SeenTask } from "../tasks.ts";

/** The notice for a call that is sent again before its input request has a response. */
export const needsResponse = "This call needs your response first.";

/** The name of the tool or prompt, or the URI, whose call asks, if it is known. */
export function askerOf({ call, task }: InputRequest): string | undefined {
  const found = state.value?.calls.find((one) => one.call === call);
  const seen = task === undefined || version.value < 0 ? undefined : tasks.get(task, server.value);
  return (lineOf(found?.request) ?? lineOf(seen?.lines[0]?.request))?.subject;
}

/**
 * Moves the focus to the first field of the input requests below an element. One without fields
 * gets the focus itself. A button that consents must not get a key for something else.
 */
export function focusAsk(around: ParentNode): boolean {
  const ask = around.querySelector<HTMLElement>(".ask");
  const field = ask?.querySelector<HTMLElement>(".field :is(input, select, textarea)") ?? ask;
  field?.focus();
  return ask !== null;
}

/**
 * The input request that got the focus by itself, until the person does something in it. The keys
 * that send a call also send a response, and a person may repeat them while a call is slow, which
 * must not count as consent.
 */
export const unseen: { current: string | undefined } = { current: undefined };

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
