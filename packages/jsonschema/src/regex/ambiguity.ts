import type { Syntax } from "./syntax.ts";

type Repeat = Extract<Syntax, { kind: "repeat" }>;

/**
 * True if a backtracking engine surely needs only linear time: nothing varies in length, or the pattern is anchored
 * and at most one repetition of a single character can give back what it took. Anything else may be super-linear.
 */
export function isSurelyLinear(pattern: Syntax): boolean {
  if (!varies(pattern)) return true;
  if (pattern.kind !== "sequence") return false;
  const [first, ...parts] = pattern.parts;
  if (first?.kind !== "assert" || first.what !== "^") return false;
  let open = 0;
  for (const [i, part] of parts.entries()) {
    if (!varies(part)) continue;
    if (part.kind !== "repeat" || part.body.kind !== "set") return false;
    if (!isClosed(part, parts[i + 1])) open++;
  }
  return open <= 1;
}

/** True if what follows the repetition can never be one of its own characters, so that it gives nothing back. */
function isClosed({ body }: Repeat, next: Syntax | undefined): boolean {
  return (
    body.kind === "set" && next?.kind === "set" && next.literal !== undefined && !body.test(next.literal)
  );
}

/** True if some repetition inside may match texts of different lengths. */
function varies(node: Syntax): boolean {
  switch (node.kind) {
    case "sequence":
      return node.parts.some(varies);
    case "choice":
      return node.options.some(varies);
    case "repeat":
      return (node.max > 1 && node.min !== node.max) || varies(node.body);
    default:
      return false;
  }
}
