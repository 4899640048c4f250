import { signal, type Signal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";

import { say, unsay } from "../store.ts";

/**
 * The editors whose values the person has tried to send: all their problems are shown. In other
 * editors, a field shows its problem after the person has left it.
 */
export const revealed: Signal<ReadonlySet<string>> = signal(new Set());

/** Has an editor show the problems of the fields that were edited, or of all. */
export function reveal(form: string, isRevealed: boolean): void {
  if (revealed.peek().has(form) !== isRevealed) {
    const others = [...revealed.peek()].filter((one) => one !== form);
    revealed.value = new Set(isRevealed ? [...others, form] : others);
  }
}

/** Everything that a person can fill in, and that is not folded away. */
const inputs = ":is(input, select, textarea, button):not(details:not([open]) *)";

/** A problem as one sentence: the name of the field, and the message of the validator. */
export function sentenceOf(path: string, problem: string): string {
  const name = path.slice(1).replaceAll("~1", "/").replaceAll("~0", "~");
  return name === "" ? problem : `${name}: ${problem}`;
}

/**
 * Moves the focus to the field of a problem, or to the nearest field around it.
 *
 * @param form - The ID of the editor.
 */
export function focusField(form: string, path: string): void {
  const editor = document.getElementById(form);
  const fields = [...(editor?.querySelectorAll<HTMLElement>("[data-at]") ?? [])];
  for (let at = path; ; at = at.slice(0, at.lastIndexOf("/"))) {
    // The branch of a union has the path of the union, and comes after it.
    const input = fields
      .filter(({ dataset }) => dataset["at"] === at)
      .map((field) => (field.matches(inputs) ? field : field.querySelector<HTMLElement>(inputs)))
      .findLast((found) => found !== null);
    if (input !== undefined && input !== null) {
      input.focus();
      return;
    }
    if (at === "") {
      editor?.querySelector<HTMLElement>(inputs)?.focus();
      return;
    }
  }
}

/**
 * A function that moves the focus to a field once it is drawn: keys that a person types for a new
 * field must not be keys of commands, and the field of a button that is removed must not lose it.
 */
export function useFocusNext(form: string): (path: string) => void {
  const next = useRef<string | undefined>(undefined);
  useLayoutEffect(() => {
    const { current: path } = next;
    if (path !== undefined) {
      next.current = undefined;
      focusField(form, path);
    }
  });
  return (path) => {
    next.current = path;
  };
}

/**
 * Whether the values of an editor can be sent. If not, the focus moves to the first field with a
 * problem, in the order of the page, and the problem is read aloud.
 */
export function passes(form: string, problems: ReadonlyMap<string, string>): boolean {
  const [any] = problems;
  if (any === undefined) {
    unsay();
    return true;
  }
  reveal(form, true);
  const shown = [...document.querySelectorAll<HTMLElement>(`[id="${form}"] [data-at]`)];
  const first = shown.map(({ dataset }) => dataset["at"] ?? "").find((at) => at !== "" && problems.has(at));
  const path = first ?? any[0];
  focusField(form, path);
  say(sentenceOf(path, problems.get(path) ?? ""));
  return false;
}
