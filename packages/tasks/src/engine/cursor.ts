import { TaskError } from "../error.ts";
import type { ListPosition } from "../store/contract.ts";

const pattern = /^([0-9a-z]{1,11})\.([\w-]{1,64})$/;

/** Returns the cursor of the page after a task. */
export function cursorOf({ createdAt, id }: ListPosition): string {
  return `${Math.floor(createdAt).toString(36)}.${id}`;
}

/** Returns the task after which a page starts. @throws `TaskError` `INVALID_CURSOR`. */
export function positionOf(cursor: string): ListPosition {
  const [, time, id] = pattern.exec(cursor) ?? [];
  const createdAt = Number.parseInt(time ?? "", 36);
  if (id === undefined || !Number.isSafeInteger(createdAt)) {
    throw new TaskError("INVALID_CURSOR", "Invalid cursor: expected the nextCursor of a page of tasks.");
  }
  return { createdAt, id };
}
