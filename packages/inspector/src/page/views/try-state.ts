import type { Signal } from "@preact/signals";

import type { CallState } from "../../wire/state.ts";
import { addCommands, addCommandSource } from "../commands.ts";
import { noProblems, type Problems } from "../form/editor.tsx";
import { focusField, passes } from "../form/problems.ts";
import { asSchema, initialOf, type Schema } from "../form/shape.ts";
import { waitForFocus } from "../parts/own-moves.ts";
import { ownSignal } from "../servers.ts";
import { attempt, definitions, isOpen, notice, refreshDefinitions, say, state, view } from "../store.ts";
import { focusAsk, needsResponse } from "./asking.ts";
import { metaOf, metaText, timeLimit } from "./request-options.tsx";
import { targetFor, targetsOf, type Target } from "./targets.ts";

/** The ID of the editor. */
export const editorId = "arguments";

/** The target that is open. */
export const chosen: Signal<string | undefined> = ownSignal<string | undefined>(undefined);
/** The values of the forms, by target. */
const filled: Signal<Readonly<Record<string, unknown>>> = ownSignal({});
/** The call that was started last, by target. */
export const started: Signal<Readonly<Record<string, string>>> = ownSignal({});
/** The call that was started last, until the page shows another. */
export const newest: Signal<string | undefined> = ownSignal<string | undefined>(undefined);
/** The problems of the form that is open. */
export const problems: Problems = noProblems();

/** The value that a form starts with, by schema. It stays the same each time the form is drawn. */
const initials = new WeakMap<Schema, unknown>();

/** The target that is open. Until the person has chosen a target, the first. */
export function here(): Target | undefined {
  const targets = targetsOf(definitions.value);
  return targets.find(({ key }) => key === chosen.value) ?? targets[0];
}

/** The value of the form of a target. */
export function valueOf({ key, schema }: Target): unknown {
  if (key in filled.value) {
    return filled.value[key];
  }
  if (!initials.has(schema)) {
    initials.set(schema, initialOf(schema, schema) ?? {});
  }
  return initials.get(schema);
}

/** Replaces the value of the form of a target. */
export function fill({ key }: Target, value: unknown): void {
  filled.value = { ...filled.value, [key]: value };
}

function paramsOf(target: Target, meta: Schema | undefined): Readonly<Record<string, unknown>> {
  const params = target.params(asSchema(valueOf(target)));
  return meta === undefined ? params : { ...params, _meta: meta };
}

/** The call of a target that was started last, while it runs. */
export function runningCall({ key }: Target): CallState | undefined {
  return state.value?.calls.find(({ call, phase }) => call === started.value[key] && phase === "running");
}

/**
 * Whether a call of the form runs. The focus then moves to its input request, if it has one: a
 * person who fills in that form does not mean to repeat the call.
 */
function isWaiting(target: Target): boolean {
  const running = runningCall(target);
  if (running === undefined) {
    return false;
  }
  const outcome = document.querySelector(".outcome");
  say(
    outcome !== null && focusAsk(outcome)
      ? needsResponse
      : "This call still runs. Send again makes it a second time.",
  );
  return true;
}

/**
 * Sends the request of the form, if all its fields are valid.
 *
 * @param isChecked - False to send it although they are not.
 * @param isAgain - True to send it although a call of it runs.
 */
export async function send(isChecked = true, isAgain = false): Promise<void> {
  const target = here();
  if (target !== undefined && !isAgain && isWaiting(target)) {
    return;
  }
  const meta = target === undefined ? undefined : metaOf(target.key);
  if (target === undefined || meta === undefined || (isChecked && !passes(editorId, problems.peek()))) {
    return;
  }
  waitForFocus();
  const call = crypto.randomUUID();
  started.value = { ...started.value, [target.key]: call };
  newest.value = call;
  const { value: timeoutMs } = timeLimit;
  await attempt({
    do: "call",
    call,
    method: target.method,
    params: paramsOf(target, meta.value),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
}

/** Stores the request of the form under a name. */
export async function store(name: string): Promise<void> {
  const target = here();
  const meta = target === undefined ? undefined : metaOf(target.key);
  if (target !== undefined && meta !== undefined && name !== "") {
    const call = { name, method: target.method, params: paramsOf(target, meta.value) };
    const others = (state.value?.saved ?? []).filter((one) => one.name !== name);
    if (await attempt({ do: "save", saved: [...others, call] })) {
      notice.value = `${name} was stored.`;
    }
  }
}

/** Opens the form of a target, and moves the focus into it: the next keys are for its fields. */
export function openForm(key: string): void {
  chosen.value = key;
  view.value = "try";
  // The form is drawn in an earlier microtask.
  queueMicrotask(() => focusField(editorId, ""));
}

/** Opens the form of an earlier request, with its values. */
export function open(method: string, params: Readonly<Record<string, unknown>>): void {
  const target = targetFor(targetsOf(definitions.value), { method, params });
  if (target === undefined) {
    notice.value = `The server does not list what ${method} was sent for.`;
    return;
  }
  chosen.value = target.key;
  fill(target, target.filled(params) ?? {});
  const { _meta: meta } = params;
  const text = meta === undefined ? "" : JSON.stringify(meta, undefined, 2);
  metaText.value = { ...metaText.value, [target.key]: text };
}

const isHere = (): boolean => view.value === "try";

addCommandSource(() =>
  targetsOf(definitions.value)
    .filter(({ kind }) => kind === "tool")
    .map(({ key, name }) => ({
      title: `Open the tool ${name}`,
      run: () => openForm(key),
    })),
);

addCommands(
  { title: "Send the request", keys: "mod+Enter", when: isHere, run: () => void send() },
  {
    title: "Send the request although it is not valid",
    when: () => isHere() && problems.value.size > 0,
    run: () => void send(false),
  },
  {
    title: "Read the lists of the server again",
    when: () => isOpen.value,
    run: () => void refreshDefinitions(),
  },
);
