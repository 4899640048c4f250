import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { Field } from "./field.tsx";
import type { Schema } from "./shape.ts";
import { validate } from "./validate.ts";

/** Properties of {@link Editor}. */
export interface EditorProps {
  readonly schema: Schema;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  /** What is edited, for screen readers. */
  readonly label: string;
}

/** A value as a form, or as JSON beside it. Both show what is wrong. */
export function Editor({ schema, value, onChange, label }: EditorProps): VNode {
  const [asJson, setAsJson] = useState(false);
  const [draft, setDraft] = useState("");
  const [notJson, setNotJson] = useState<string>();
  const { errors, schemaProblem } = validate(schema, value);
  const show = (json: boolean): void => {
    setDraft(JSON.stringify(value ?? {}, undefined, 2));
    setNotJson(undefined);
    setAsJson(json);
  };
  return (
    <div class="editor" role="group" aria-label={label}>
      <p class="switch" role="group" aria-label="View of the values">
        <button type="button" aria-pressed={!asJson} onClick={() => show(false)}>
          Form
        </button>
        <button type="button" aria-pressed={asJson} onClick={() => show(true)}>
          JSON
        </button>
        <span class={errors.size === 0 ? "dim" : "problem"} role="status">
          {errors.size === 0 ? "valid" : errors.size === 1 ? "1 problem" : `${errors.size} problems`}
        </span>
      </p>
      {schemaProblem !== undefined && (
        <p class="problem">The schema of the server cannot be used: {schemaProblem}</p>
      )}
      {asJson ? (
        <>
          <textarea
            class="code"
            aria-label={`${label} as JSON`}
            rows={12}
            spellcheck={false}
            value={draft}
            onInput={(event) => {
              const { value: text } = event.currentTarget;
              setDraft(text);
              try {
                onChange(JSON.parse(text));
                setNotJson(undefined);
              } catch (error) {
                setNotJson((error as Error).message);
              }
            }}
          />
          {notJson !== undefined && <p class="problem">{notJson}</p>}
          <ul class="problems">
            {[...errors].map(([at, message]) => (
              <li key={at}>
                <code>{at === "" ? "(all)" : at}</code> {message}
              </li>
            ))}
          </ul>
        </>
      ) : (
        <Field
          schema={schema}
          root={schema}
          value={value}
          onChange={onChange}
          path=""
          errors={errors}
          label={label}
          depth={0}
        />
      )}
    </div>
  );
}
