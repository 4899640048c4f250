import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { fieldId, nestedProps, pathOf, type FieldProps } from "./field-props.ts";
import { useFocusNext } from "./problems.ts";
import { addedOf, asSchema, type Property, type Schema } from "./shape.ts";

/** An object: its properties, and rows for further ones. Optional properties can be left out. */
export function ObjectField(
  props: FieldProps & { properties: readonly Property[]; additional: Schema | undefined },
): VNode {
  const { properties, additional, root, form, path, depth, onChange, nested: Field } = props;
  const focusNext = useFocusNext(form);
  if (props.value === undefined && path !== "") {
    // Properties of a value that is not there could require further ones for ever.
    return (
      <button
        type="button"
        class="add"
        onClick={() => {
          onChange(addedOf(props.schema, root));
          focusNext(path);
        }}
      >
        + {props.label}
      </button>
    );
  }
  const value = asSchema(props.value);
  const set = (name: string, member: unknown): void => {
    const { [name]: _, ...rest } = value;
    const ordered = member === undefined ? rest : { ...value, [name]: member };
    onChange(ordered);
  };
  const further = Object.keys(value).filter((name) => !properties.some((one) => one.name === name));
  const newProperty = additional !== undefined && (
    <NewProperty
      path={path}
      onAdd={(name) => {
        set(name, addedOf(additional, root));
        focusNext(pathOf(path, name));
      }}
    />
  );
  // A row for a name would look like an argument of a tool that takes none.
  const isEmpty =
    path === "" &&
    properties.length === 0 &&
    further.length === 0 &&
    additional !== undefined &&
    props.schema["additionalProperties"] === undefined;
  const content = (
    <>
      {properties.map(({ name, schema, required }) => {
        const label = typeof schema["title"] === "string" ? schema["title"] : name;
        const at = pathOf(path, name);
        const isOptional = !required;
        const isGiven = Object.hasOwn(value, name);
        if (isOptional && !isGiven) {
          return (
            <button
              key={name}
              type="button"
              class="add"
              id={`${fieldId({ form, path: at })}-add`}
              data-at={at}
              onClick={() => {
                set(name, addedOf(schema, root));
                focusNext(at);
              }}
            >
              + {label}
            </button>
          );
        }
        return (
          <div key={name} class="property">
            <Field
              {...nestedProps(props)}
              schema={schema}
              value={value[name]}
              onChange={(member) => set(name, member ?? (required ? undefined : null))}
              path={at}
              label={label}
              required={required}
              depth={depth + 1}
            />
            {isOptional && (
              <button
                type="button"
                class="remove"
                aria-label={`Leave out ${label}`}
                onClick={() => {
                  set(name, undefined);
                  focusNext(at);
                }}
              >
                ✕
              </button>
            )}
          </div>
        );
      })}
      {further.map((name) => (
        <div key={name} class="property">
          <Field
            {...nestedProps(props)}
            schema={additional ?? {}}
            value={value[name]}
            onChange={(member) => set(name, member ?? null)}
            path={pathOf(path, name)}
            label={name}
            depth={depth + 1}
          />
          <button
            type="button"
            class="remove"
            aria-label={`Remove ${name}`}
            onClick={() => {
              set(name, undefined);
              focusNext(path);
            }}
          >
            ✕
          </button>
        </div>
      ))}
      {isEmpty ? (
        <>
          <p class="dim">The schema names no fields to fill in.</p>
          <details class="options">
            <summary>Add a property</summary>
            {newProperty}
          </details>
        </>
      ) : (
        newProperty
      )}
    </>
  );
  return path === "" ? (
    content
  ) : (
    <fieldset>
      <legend class="name">{props.label}</legend>
      {content}
    </fieldset>
  );
}

function NewProperty({ path, onAdd }: { path: string; onAdd: (name: string) => void }): VNode {
  const [name, setName] = useState("");
  const add = (): void => {
    if (name !== "") {
      onAdd(name);
      setName("");
    }
  };
  return (
    <p class="new">
      <input
        type="text"
        aria-label={`Name of a new property${path === "" ? "" : ` of ${path}`}`}
        placeholder="name of a property"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <button type="button" class="add" onClick={add}>
        + property
      </button>
    </p>
  );
}
