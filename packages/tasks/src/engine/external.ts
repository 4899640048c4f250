import { TaskError } from "../error.ts";
import { isFinal, type TaskRecord } from "../store/record.ts";
import { questionTexts } from "./backends.ts";
import { change, type Change } from "./change.ts";
import { toText } from "./json.ts";
import { checkName } from "./names.ts";
import type { Setting } from "./setting.ts";

/**
 * Changes a task that another system runs.
 *
 * @returns False if the task is unknown or has ended.
 * @throws `TaskError` `INVALID_STATE` for a task that the engine runs.
 */
export async function changeExternal(
  setting: Setting,
  id: string,
  decide: (record: TaskRecord) => Change | undefined | Promise<Change | undefined>,
): Promise<boolean> {
  const changed = await change(setting, id, undefined, (record) => {
    if (!record.external) {
      throw new TaskError("INVALID_STATE", `The task ${id} is run by the engine, not by another system.`);
    }
    return decide(record);
  });
  return changed !== undefined && (changed.isChanged || !isFinal(changed.record.state));
}

/** The change that adds input requests, unless all of them are known. */
export async function asking(
  setting: Setting,
  { id, questions: asked }: TaskRecord,
  questions: Readonly<Record<string, unknown>>,
): Promise<Change | undefined> {
  Object.keys(questions).forEach((key) => checkName(key, "Key of an input request"));
  const open = { ...questionTexts(questions, await setting.store.journal(id), setting), ...asked };
  const { maxQuestions } = setting.limits;
  const count = Object.keys(open).length;
  if (count > maxQuestions) {
    throw new TaskError(
      "LIMIT_EXCEEDED",
      `Too many input requests: the limit is ${maxQuestions} open ones (maxQuestions).`,
    );
  }
  return count === Object.keys(asked).length
    ? undefined
    : { patch: { state: "input_required", questions: open } };
}

/** The change that stores the responses to open input requests, unless there is none among them. */
export async function answering(
  { store, limits }: Setting,
  { id, questions }: TaskRecord,
  answers: Readonly<Record<string, unknown>>,
): Promise<Required<Change> | undefined> {
  const { maxEntryLength, maxJournalLength } = limits;
  const append = Object.entries(answers)
    .filter(([key]) => Object.hasOwn(questions, key))
    .map(([key, answer]) => ({
      kind: "answer" as const,
      key,
      value: toText(answer, `The response to ${JSON.stringify(key)}`, maxEntryLength, "maxEntryLength"),
    }));
  if (append.length === 0) {
    return undefined;
  }
  const journal = [...(await store.journal(id)), ...append];
  if (journal.reduce((sum, { key, value }) => sum + key.length + value.length, 0) > maxJournalLength) {
    throw new TaskError(
      "LIMIT_EXCEEDED",
      `Journal of the task is full: the limit is ${maxJournalLength} characters (maxJournalLength).`,
    );
  }
  const open = Object.fromEntries(
    Object.entries(questions).filter(([key]) => !append.some((entry) => entry.key === key)),
  );
  const isLast = Object.keys(open).length === 0;
  return { patch: isLast ? { state: "working", questions: open } : { questions: open }, append };
}

/** The patch of a message and, if it is not `undefined`, of the progress. */
export function statusPatch(
  { limits }: Setting,
  message: string,
  progress: unknown,
): { readonly statusMessage: string; readonly progress?: string } {
  const { maxEntryLength } = limits;
  const statusMessage = message.slice(0, maxEntryLength);
  return progress === undefined
    ? { statusMessage }
    : { statusMessage, progress: toText(progress, "The progress", maxEntryLength, "maxEntryLength") };
}
