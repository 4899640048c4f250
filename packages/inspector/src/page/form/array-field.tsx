import type { VNode } from "preact";

import { nestedProps, type FieldProps } from "./field-props.ts";
import { useFocusNext } from "./problems.ts";
import { addedOf, text, type Option, type Schema } from "./shape.ts";

/** A list whose items can be added, removed and moved. */
export function ArrayField(
  props: FieldProps & { prefix: readonly Schema[]; items: Schema | undefined },
): VNode {
  const { prefix, items, form, path, label, depth, onChange, root, nested: Field } = props;
  const value = Array.isArray(props.value) ? (props.value as unknown[]) : [];
  const focusNext = useFocusNext(form);
  const swap = (one: number, other: number): void => {
    const moved = [...value];
    [moved[one], moved[other]] = [moved[other], moved[one]];
    onChange(moved);
  };
  return (
    <fieldset>
      <legend class="name">
        {label} <span class="dim">{value.length === 1 ? "1 item" : `${value.length} items`}</span>
      </legend>
      {value.map((item, index) => {
        const name = `${label} ${index + 1}`;
        return (
          <div key={index} class="property">
            <Field
              {...nestedProps(props)}
              schema={prefix[index] ?? items ?? {}}
              value={item}
              onChange={(changed) => onChange(value.with(index, changed ?? null))}
              path={`${path}/${index}`}
              label={name}
              depth={depth + 1}
            />
            <span class="moves">
              <button
                type="button"
                disabled={index === 0}
                aria-label={`Move ${name} up`}
                onClick={() => swap(index, index - 1)}
              >
                ↑
              </button>
              <button
                type="button"
                disabled={index === value.length - 1}
                aria-label={`Move ${name} down`}
                onClick={() => swap(index, index + 1)}
              >
                ↓
              </button>
              <button
                type="button"
                aria-label={`Remove ${name}`}
                onClick={() => {
                  onChange(value.toSpliced(index, 1));
                  focusNext(`${path}/${Math.max(0, index - 1)}`);
                }}
              >
                ✕
              </button>
            </span>
          </div>
        );
      })}
      {(items !== undefined || value.length < prefix.length) && (
        <button
          type="button"
          class="add"
          onClick={() => {
            onChange([...value, addedOf(prefix[value.length] ?? items, root)]);
            focusNext(`${path}/${value.length}`);
          }}
        >
          + item of {label}
        </button>
      )}
    </fieldset>
  );
}

/** A list of different values of an enum. */
export function ManyField(props: FieldProps & { options: readonly Option[] }): VNode {
  const { options, label, onChange } = props;
  const value = Array.isArray(props.value) ? (props.value as unknown[]) : [];
  return (
    <fieldset>
      <legend class="name">{label}</legend>
      {options.map((option) => {
        const isChosen = value.some((one) => text(one) === text(option.value));
        return (
          <label key={option.title} class="check">
            <input
              type="checkbox"
              checked={isChosen}
              onChange={() =>
                onChange(
                  isChosen
                    ? value.filter((one) => text(one) !== text(option.value))
                    : [...value, option.value],
                )
              }
            />
            {option.title}
          </label>
        );
      })}
    </fieldset>
  );
}
