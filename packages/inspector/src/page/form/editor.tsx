import { signal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import { Field } from "./field.tsx";
import { focusField, reveal, revealed, sentenceOf } from "./problems.ts";
import type { Schema } from "./shape.ts";
import { validate } from "./validate.ts";

/** Sentences about what is wrong in an editor, by JSON pointer. */
export type Problems = Signal<ReadonlyMap<string, string>>;

/** The problems of an editor that has none yet. */
export function noProblems(): Problems {
  return signal(new Map());
}

/** Properties of {@link Editor}. */
export interface EditorProps {
  /** The ID of its element, unique on the page. */
  readonly id: string;
  readonly schema: Schema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** What is edited, for screen readers. */
  readonly label: string;
  /** Is set to the problems of the values, and of drafts that are not values yet. */
  readonly problems: Problems;
}

/** A value as a form, or as JSON beside it. Both show what is wrong, where it is. */
export function Editor({ id, schema, value, onChange, label, problems }: EditorProps): VNode {
  const [asJson, setAsJson] = useState(false);
  const [draft, setDraft] = useState("");
  const [drafts, setDrafts] = useState<ReadonlyMap<string, string>>(new Map());
  const { errors: invalid, schemaProblem } = useMemo(
    () => validate(schema, value, "assert"),
    [schema, value],
  );
  const all = useMemo(() => new Map([...invalid, ...drafts]), [invalid, drafts]);
  const edited = useRef(new Set<string>());
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const isRevealed = revealed.value.has(id);
  const errors = useMemo(
    () => (isRevealed ? all : new Map([...all].filter(([at]) => left.has(at)))),
    [all, left, isRevealed],
  );
  useEffect(() => () => reveal(id, false), [id]);
  const [hidden, setHidden] = useState<readonly string[]>([]);
  useLayoutEffect(() => {
    problems.value = all;
    const shown = document.querySelectorAll<HTMLElement>(`[id="${id}"] .field[data-at]`);
    const paths = new Set([...shown].map(({ dataset }) => dataset["at"]));
    setHidden([...errors.keys()].filter((at) => !paths.has(at)));
  }, [all, errors, asJson]);
  const setProblem = (path: string, problem: string | undefined): void =>
    setDrafts((before) => {
      const { [path]: _, ...others } = Object.fromEntries(before);
      return new Map(Object.entries(problem === undefined ? others : { ...others, [path]: problem }));
    });
  const show = (json: boolean): void => {
    setDraft(JSON.stringify(value ?? {}, undefined, 2));
    setDrafts(new Map());
    setAsJson(json);
  };
  return (
    <div
      class="editor"
      id={id}
      role="group"
      aria-label={label}
      onInput={({ target }) => {
        edited.current.add(placeOf(target));
      }}
      onFocusOut={({ target }) => {
        const at = placeOf(target);
        if (edited.current.has(at) && !left.has(at)) {
          setLeft(new Set([...left, at]));
        }
      }}
    >
      <p class="switch" role="group" aria-label="View of the values">
        <button type="button" aria-pressed={!asJson} onClick={() => show(false)}>
          Form
        </button>
        <button type="button" aria-pressed={asJson} onClick={() => show(true)}>
          JSON
        </button>
        <span class={errors.size === 0 ? "dim" : "problem"} role="status">
          {errors.size > 0
            ? errors.size === 1
              ? "1 problem"
              : `${errors.size} problems`
            : all.size === 0
              ? "✓ valid"
              : ""}
        </span>
      </p>
      {schemaProblem !== undefined && (
        <p class="problem">The schema of the server cannot be used: {schemaProblem}</p>
      )}
      {asJson ? (
        <textarea
          class="code"
          data-at=""
          aria-label={`${label} as JSON`}
          aria-invalid={errors.size > 0}
          aria-describedby={hidden.length > 0 ? `${id}-problems` : undefined}
          rows={12}
          spellcheck={false}
          value={draft}
          onInput={(event) => {
            const { value: text } = event.currentTarget;
            setDraft(text);
            try {
              onChange(JSON.parse(text));
              setDrafts(new Map());
            } catch (error) {
              setDrafts(new Map([["", (error as Error).message]]));
            }
          }}
        />
      ) : (
        <Field
          form={id}
          schema={schema}
          root={schema}
          value={value}
          onChange={onChange}
          path=""
          errors={errors}
          onDraft={setProblem}
          label={label}
          depth={0}
        />
      )}
      {hidden.length > 0 && (
        <ul class="problems" id={`${id}-problems`} aria-label="Problems">
          {hidden.map((at) => (
            <li key={at}>
              <button type="button" class="link" onClick={() => focusField(id, at)}>
                {sentenceOf(at, errors.get(at) ?? "")}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** The pointer of the field in which an event happened. */
function placeOf(target: EventTarget | null): string {
  const field = target instanceof Element ? target.closest<HTMLElement>("[data-at]") : null;
  return field?.dataset["at"] ?? "";
}
