import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import { fieldId, type FieldProps } from "./field-props.ts";
import { text, type Option, type Schema } from "./shape.ts";

/** The mark of a field that needs a value. */
function Required({ required }: Pick<FieldProps, "required">): VNode | null {
  return required === true ? (
    <span class="required" title="required">
      {" "}
      required
    </span>
  ) : null;
}

/** The label of a field. */
export function Name(props: FieldProps): VNode {
  return (
    <label class="name" for={fieldId(props)}>
      {props.label}
      <Required required={props.required} />
    </label>
  );
}

/** The attributes of an input that connect it to its hint and its error. */
function described(props: FieldProps): {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": boolean;
  "aria-required": boolean;
} {
  const { path, errors, schema, required } = props;
  const id = fieldId(props);
  const ids = [
    ...(rangeOf(schema) === undefined ? [] : [`${id}-range`]),
    ...(typeof schema["description"] === "string" ? [`${id}-hint`] : []),
    ...(errors.has(path) ? [`${id}-error`] : []),
  ];
  return {
    id,
    "aria-describedby": ids.length > 0 ? ids.join(" ") : undefined,
    "aria-invalid": errors.has(path),
    "aria-required": required === true,
  };
}

function exampleOf({ schema }: FieldProps): string | undefined {
  const { examples, format } = schema;
  const first: unknown = Array.isArray(examples) ? examples[0] : undefined;
  const byFormat: Readonly<Record<string, string>> = {
    "date-time": "2026-01-31T12:00:00Z",
    time: "12:00:00Z",
    uri: "https://example.com",
    uuid: "00000000-0000-4000-8000-000000000000",
  };
  return first === undefined ? byFormat[text(format)] : text(first);
}

/** A text in one line or several. */
export function StringField(props: FieldProps & { input: string; isLong: boolean }): VNode {
  const value = typeof props.value === "string" ? props.value : "";
  const onInput = (event: { currentTarget: { value: string } }): void =>
    props.onChange(event.currentTarget.value);
  return (
    <>
      <Name {...props} />
      {props.isLong || value.includes("\n") ? (
        <textarea {...described(props)} rows={4} value={value} onInput={onInput} />
      ) : (
        <input
          {...described(props)}
          type={props.input as "text"}
          value={value}
          placeholder={exampleOf(props)}
          autocomplete="off"
          spellcheck={false}
          onInput={onInput}
        />
      )}
    </>
  );
}

/** The bounds of a number in words. */
function rangeOf({ minimum: least, maximum: most }: Schema): string | undefined {
  if (typeof least === "number") {
    return typeof most === "number" ? `${least} to ${most}` : `at least ${least}`;
  }
  return typeof most === "number" ? `at most ${most}` : undefined;
}

/** A number; an empty field has no value. */
export function NumberField(props: FieldProps & { isInteger: boolean }): VNode {
  const { schema } = props;
  const range = rangeOf(schema);
  const bound = (name: string): number | undefined => {
    const value = schema[name];
    return typeof value === "number" ? value : undefined;
  };
  return (
    <>
      <Name {...props} />
      <input
        {...described(props)}
        type="number"
        step={bound("multipleOf") ?? (props.isInteger ? 1 : "any")}
        min={bound("minimum")}
        max={bound("maximum")}
        value={typeof props.value === "number" ? String(props.value) : ""}
        placeholder={exampleOf(props)}
        onInput={(event) => {
          const { value } = event.currentTarget;
          props.onChange(value === "" ? undefined : Number(value));
        }}
      />
      {range !== undefined && (
        <p class="hint" id={`${fieldId(props)}-range`}>
          {range}
        </p>
      )}
    </>
  );
}

/** A switch. */
export function BooleanField(props: FieldProps): VNode {
  return (
    <label class="check">
      <input
        {...described(props)}
        type="checkbox"
        checked={props.value === true}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      <span>
        {props.label}
        <Required required={props.required} />
      </span>
    </label>
  );
}

/** One of several values. */
export function ChoiceField(props: FieldProps & { options: readonly Option[] }): VNode {
  const { options, value, onChange } = props;
  const index = options.findIndex((option) => text(option.value) === text(value));
  return (
    <>
      <Name {...props} />
      <select
        {...described(props)}
        value={String(index)}
        onChange={(event) => onChange(options[Number(event.currentTarget.value)]?.value)}
      >
        {index < 0 && <option value="-1">Choose…</option>}
        {options.map(({ title }, at) => (
          <option key={at} value={String(at)}>
            {title}
          </option>
        ))}
      </select>
    </>
  );
}

/** Any JSON. */
export function AnyField(props: FieldProps): VNode {
  const { path, onDraft } = props;
  const [draft, setDraft] = useState(props.value === undefined ? "" : JSON.stringify(props.value));
  useEffect(() => () => onDraft(path, undefined), [path]);
  return (
    <>
      <Name {...props} />
      <textarea
        {...described(props)}
        rows={2}
        value={draft}
        placeholder="JSON"
        spellcheck={false}
        onInput={(event) => {
          const { value } = event.currentTarget;
          setDraft(value);
          try {
            props.onChange(value.trim() === "" ? undefined : JSON.parse(value));
            onDraft(path, undefined);
          } catch {
            onDraft(path, "Must be JSON: a string needs quotes.");
          }
        }}
      />
    </>
  );
}
