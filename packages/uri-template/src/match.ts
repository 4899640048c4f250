import { type Bound, type Capture, bind, settle } from "./bind.ts";
import { comparable } from "./encode.ts";
import { locate } from "./locate.ts";
import type { Plan } from "./plan.ts";

/** The variables of `uri` by a plan, or `undefined` when it does not match. */
export function matchPlan(
  { head, tail, steps, bindings }: Plan,
  uri: string,
): Record<string, Bound> | undefined {
  const whole = comparable(uri);
  // URIs usually belong to another template. Comparing the literals detects that before a table is
  // built.
  if (whole.length < head.length + tail.length || !whole.startsWith(head) || !whole.endsWith(tail)) {
    return undefined;
  }
  const text = whole.slice(head.length, whole.length - tail.length);
  if (steps.some((step) => typeof step === "string" && !text.includes(step))) {
    return undefined;
  }
  const spans = locate(steps, text);
  if (spans === undefined) {
    return undefined;
  }
  const captures: Capture[] = [];
  for (const [index, span] of spans.entries()) {
    const binding = bindings[index];
    if (span === undefined || binding === undefined) {
      continue;
    }
    const bound = bind(binding, text.slice(...span));
    if (bound === undefined) {
      return undefined;
    }
    captures.push(...bound);
  }
  return settle(captures);
}
