import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import { readLine, type LinePart } from "../api.ts";
import { size } from "../format.ts";

/** How many lines of JSON are drawn at a time. */
const linesAtATime = 400;

const token = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\b(?:true|false|null)\b/g;

function colored(line: string): (VNode | string)[] {
  const parts: (VNode | string)[] = [];
  let at = 0;
  for (const match of line.matchAll(token)) {
    const [whole, text, colon] = match;
    if (match.index > at) {
      parts.push(line.slice(at, match.index));
    }
    const kind =
      text === undefined
        ? /^[-\d]/.test(whole)
          ? "number"
          : "literal"
        : colon === undefined
          ? "string"
          : "name";
    parts.push(<span class={`j-${kind}`}>{whole}</span>);
    at = match.index + whole.length;
  }
  parts.push(line.slice(at));
  return parts;
}

/** JSON with colors, in lines. Long values are drawn in parts. */
export function Json({ value, label }: { value: unknown; label: string }): VNode {
  const [count, setCount] = useState(linesAtATime);
  const lines = (JSON.stringify(value, undefined, 2) ?? "undefined").split("\n");
  return (
    <div class="json">
      <pre tabIndex={0} role="region" aria-label={label}>
        {lines.slice(0, count).map((line, index) => (
          <span key={index} class="line">
            {line.length > 5000 ? `${line.slice(0, 5000)}…` : colored(line)}
            {"\n"}
          </span>
        ))}
      </pre>
      {lines.length > count && (
        <button type="button" onClick={() => setCount(count + linesAtATime * 5)}>
          Show more: {lines.length - count} lines left
        </button>
      )}
    </div>
  );
}

/** The text of a line, loaded in parts: as formatted JSON if it fits in one, else as it came. */
export function LineText({ seq, raw, label }: { seq: number; raw: boolean; label: string }): VNode {
  const [parts, setParts] = useState<readonly LinePart[]>([]);
  const [problem, setProblem] = useState<string>();
  const load = (offset: number, before: readonly LinePart[]): void => {
    readLine(seq, offset).then(
      (part) => setParts([...before, part]),
      (error: unknown) => setProblem((error as Error).message),
    );
  };
  useEffect(() => {
    setParts([]);
    setProblem(undefined);
    load(0, []);
  }, [seq]);
  const last = parts.at(-1);
  if (problem !== undefined) {
    return <p class="problem">{problem}</p>;
  }
  if (last === undefined) {
    return <p class="dim">Loading…</p>;
  }
  const text = parts.map(({ part }) => part).join("");
  const isWhole = last.next === undefined && text.length === last.length;
  const value = isWhole && !raw ? parsed(text) : undefined;
  return value !== undefined ? (
    <Json value={value.value} label={label} />
  ) : (
    <div class="json">
      <pre class="raw" tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
      {last.next !== undefined && (
        <button type="button" onClick={() => load(last.next ?? 0, parts)}>
          Load more: {size(last.length - text.length)} left of {size(last.length)}
        </button>
      )}
    </div>
  );
}

function parsed(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch {
    return undefined;
  }
}
