import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { ArrayField, ManyField } from "./array-field.tsx";
import { fieldId, type FieldProps } from "./field-props.ts";
import { ObjectField } from "./object-field.tsx";
import { AnyField, BooleanField, ChoiceField, NumberField, StringField } from "./scalar-fields.tsx";
import { branchFor, initialOf, resolve, shapeOf, text, type Schema } from "./shape.ts";

const maxDepth = 12;

function UnionField(props: FieldProps & { branches: readonly { title: string; schema: Schema }[] }): VNode {
  const { branches, value, root, onChange, label, depth } = props;
  const [chosen, setChosen] = useState<number>();
  // A branch whose value the person still has to give fits no value.
  const index = value === undefined ? (chosen ?? 0) : branchFor(value, branches, root);
  const choose = (next: number): void => {
    setChosen(next);
    const { schema } = branches[next] ?? {};
    const isNumber = shapeOf(resolve(schema, root), root).kind === "number";
    onChange(initialOf(schema, root, 0, true) ?? (isNumber ? 0 : undefined));
  };
  const branch = branches[index];
  return (
    <div class="union">
      <label class="name" for={`${fieldId(props)}-kind`}>
        {label} <span class="dim">one of</span>
      </label>
      <select
        id={`${fieldId(props)}-kind`}
        value={String(index)}
        onChange={(event) => choose(Number(event.currentTarget.value))}
      >
        {branches.map(({ title }, at) => (
          <option key={at} value={String(at)}>
            {title}
          </option>
        ))}
      </select>
      {branch !== undefined && <Field {...props} schema={branch.schema} depth={depth + 1} />}
    </div>
  );
}

/** The field of a value, by the shape of its schema. */
export function Field(props: Omit<FieldProps, "nested">): VNode {
  const { root, path, errors, depth } = props;
  const schema = resolve(props.schema, root);
  const inner = { ...props, schema, nested: Field };
  const shape = depth > maxDepth ? ({ kind: "any" } as const) : shapeOf(schema, root);
  const error = errors.get(path);
  const header = schema["x-mcp-header"];
  return (
    <div class={`field ${shape.kind}`} data-at={path}>
      {shape.kind === "const" && (
        <p>
          <span class="name">{props.label}</span> <code>{text(shape.value)}</code>
        </p>
      )}
      {shape.kind === "choice" && <ChoiceField {...inner} options={shape.options} />}
      {shape.kind === "union" && <UnionField {...inner} branches={shape.branches} />}
      {shape.kind === "object" && (
        <ObjectField {...inner} properties={shape.properties} additional={shape.additional} />
      )}
      {shape.kind === "array" && <ArrayField {...inner} prefix={shape.prefix} items={shape.items} />}
      {shape.kind === "many" && <ManyField {...inner} options={shape.options} />}
      {shape.kind === "string" && <StringField {...inner} input={shape.input} isLong={shape.isLong} />}
      {shape.kind === "number" && <NumberField {...inner} isInteger={shape.isInteger} />}
      {shape.kind === "boolean" && <BooleanField {...inner} />}
      {shape.kind === "null" && (
        <p>
          <span class="name">{props.label}</span> <code>null</code>
        </p>
      )}
      {shape.kind === "any" && <AnyField {...inner} />}
      {typeof schema["description"] === "string" && path !== "" && shape.kind !== "union" && (
        <p class="hint" id={`${fieldId(props)}-hint`}>
          {schema["description"]}
        </p>
      )}
      {header !== undefined && <p class="hint">Also sent as the header {text(header)}.</p>}
      {error !== undefined && shape.kind !== "union" && (
        <p class="problem" id={`${fieldId(props)}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}
