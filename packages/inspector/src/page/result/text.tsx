import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";

import { asSchema } from "../form/shape.ts";
import { Data } from "./data.tsx";
import { looksLikeMarkdown } from "./markdown.ts";
import { Markdown } from "./markdown.tsx";

/** Longer texts are plain, in parts. */
const maxRendered = 64_000;
const partLength = 100_000;

type Form =
  | { readonly kind: "plain" }
  | { readonly kind: "markdown" }
  | { readonly kind: "json"; readonly value: unknown };

function formOf(text: string, mimeType: string | undefined): Form {
  if (text.length > maxRendered) {
    return { kind: "plain" };
  }
  if (/^\s*[[{]/.test(text)) {
    try {
      return { kind: "json", value: JSON.parse(text) as unknown };
    } catch {
      // Text that begins with a bracket.
    }
  }
  const isMarkdown =
    mimeType === undefined || mimeType === "text/plain"
      ? looksLikeMarkdown(text)
      : /^text\/(?:x-)?markdown\b/.test(mimeType);
  return { kind: isMarkdown ? "markdown" : "plain" };
}

function Plain({ text }: { text: string }): VNode {
  const [length, setLength] = useState(partLength);
  return (
    <>
      <p class="plain">{text.slice(0, length)}</p>
      {text.length > length && (
        <button type="button" onClick={() => setLength(length + partLength * 5)}>
          Show more: {text.length - length} characters left
        </button>
      )}
    </>
  );
}

/** A text as its author probably meant it: Markdown, JSON or plain. The person can see it plain. */
export function Text({ text, mimeType }: { text: string; mimeType?: string | undefined }): VNode {
  const [isPlain, setIsPlain] = useState(false);
  const form = useMemo(() => formOf(text, mimeType), [text, mimeType]);
  if (form.kind === "plain") {
    return text === "" ? <p class="dim">An empty text.</p> : <Plain text={text} />;
  }
  return (
    <div class="text">
      <p class="form-of">
        <button type="button" class="link" aria-pressed={isPlain} onClick={() => setIsPlain(!isPlain)}>
          {isPlain ? `Show as ${form.kind === "json" ? "data" : "Markdown"}` : "Show as plain text"}
        </button>
      </p>
      {isPlain ? (
        <Plain text={text} />
      ) : form.kind === "json" ? (
        <Data value={form.value} schema={asSchema(undefined)} root={asSchema(undefined)} />
      ) : (
        <Markdown text={text} />
      )}
    </div>
  );
}
