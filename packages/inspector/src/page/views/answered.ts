import type { Signal } from "@preact/signals";
import { signal } from "@preact/signals";

import type { Answer } from "../../wire/action.ts";
import type { InputRequest } from "../../wire/state.ts";
import { waitForFocus } from "../parts/own-moves.ts";
import { ownSignal } from "../servers.ts";
import { attempt, inspector } from "../store.ts";
import { askerOf } from "./asking.ts";

/** The drafts of responses by the ID of their input request, so that all views show the same. */
const drafts: Signal<Readonly<Record<string, unknown>>> = signal({});

/** An input request with the response of the person. */
export interface Answered {
  readonly action: Answer["action"];
  /** The name of the tool that asked, if it is known. */
  readonly asker: string | undefined;
  readonly call: string | undefined;
}

/** The newest response of the person. */
export const answered: Signal<Answered | undefined> = ownSignal<Answered | undefined>(undefined);

/** The draft of a response; `initial` makes its first value. */
export function draftOf<T>({ id }: InputRequest, initial: () => T): T {
  return id in drafts.value ? (drafts.value[id] as T) : initial();
}

/** Keeps the draft of a response until its request has ended. */
export function keepDraft({ id }: InputRequest, draft: unknown): void {
  const waiting = new Set(
    (inspector.peek()?.servers ?? []).flatMap(({ inputRequests }) => inputRequests.map((one) => one.id)),
  );
  const others = Object.entries(drafts.peek()).filter(([one]) => one !== id && waiting.has(one));
  drafts.value = Object.fromEntries([...others, [id, draft]]);
}

/** Sends the response of the person. */
export async function respond(request: InputRequest, answer: Answer, always: boolean): Promise<void> {
  const { call } = request;
  waitForFocus();
  const asker = askerOf(request);
  if (await attempt({ do: "answer", question: request.id, answer, always })) {
    answered.value = { action: answer.action, asker, call };
  }
}
