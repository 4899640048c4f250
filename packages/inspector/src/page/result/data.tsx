import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { asSchema, resolve, text, type Schema } from "../form/shape.ts";
import { hostOf, OutsideLink } from "./outside-link.tsx";

const maxDepth = 12;
const maxColumns = 12;
/** Rows that are drawn at a time. */
const rowsAtATime = 100;
/** Values below this depth are folded at first. */
const openDepth = 3;
const maxText = 2000;

/** Properties of {@link Data}. */
export interface DataProps {
  readonly value: unknown;
  /** The schema of the value, for titles and descriptions. */
  readonly schema: Schema;
  /** The whole schema, for `$ref`. */
  readonly root: Schema;
  readonly depth?: number;
}

type Row = Readonly<Record<string, unknown>>;

function isRow(value: unknown): value is Row {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function propertyOf(schema: Schema, name: string, root: Schema): Schema {
  const properties = asSchema(schema["properties"]);
  return resolve(Object.hasOwn(properties, name) ? properties[name] : schema["additionalProperties"], root);
}

function Name({ name, schema }: { name: string; schema: Schema }): VNode {
  const { title, description } = schema;
  return (
    <span title={typeof description === "string" ? description : undefined}>
      {typeof title === "string" && title !== name ? (
        <>
          {title} <code class="dim">{name}</code>
        </>
      ) : (
        name
      )}
    </span>
  );
}

function Scalar({ value }: { value: unknown }): VNode {
  const [isOpen, setIsOpen] = useState(false);
  if (typeof value !== "string") {
    return (
      <code class={value === null ? "j-literal" : typeof value === "number" ? "j-number" : "j-literal"}>
        {text(value)}
      </code>
    );
  }
  if (hostOf(value) !== undefined && !/\s/.test(value)) {
    return <OutsideLink url={value}>{value}</OutsideLink>;
  }
  return value.length <= maxText || isOpen ? (
    <span class="plain">{value === "" ? <span class="dim">empty</span> : value}</span>
  ) : (
    <span class="plain">
      {value.slice(0, maxText)}…{" "}
      <button type="button" class="link" onClick={() => setIsOpen(true)}>
        Show all {value.length} characters
      </button>
    </span>
  );
}

/** The columns of a list of objects, if a table shows it well. */
function columnsOf(list: readonly unknown[]): readonly string[] | undefined {
  if (list.length < 2 || !list.every(isRow)) {
    return undefined;
  }
  const names = new Set<string>();
  for (const row of list.slice(0, 1000)) {
    for (const name of Object.keys(row)) {
      names.add(name);
      if (names.size > maxColumns) {
        return undefined;
      }
    }
  }
  return names.size === 0 ? undefined : [...names];
}

function More({ left, onMore }: { left: number; onMore: () => void }): VNode | null {
  return left <= 0 ? null : (
    <button type="button" onClick={onMore}>
      Show more: {left} left
    </button>
  );
}

function Table({
  list,
  columns,
  props,
}: {
  list: readonly Row[];
  columns: readonly string[];
  props: DataProps;
}): VNode {
  const [count, setCount] = useState(rowsAtATime);
  const { root, depth = 0 } = props;
  const items = resolve(props.schema["items"], root);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={`Table of ${list.length} rows`}>
      <table class="data">
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                <Name name={name} schema={propertyOf(items, name, root)} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {list.slice(0, count).map((row, index) => (
            <tr key={index}>
              {columns.map((name) => (
                <td key={name}>
                  {Object.hasOwn(row, name) && (
                    <Data
                      value={row[name]}
                      schema={propertyOf(items, name, root)}
                      root={root}
                      depth={depth + 1}
                    />
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <More left={list.length - count} onMore={() => setCount(count + rowsAtATime * 5)} />
    </div>
  );
}

function Properties({ value, props }: { value: Row; props: DataProps }): VNode {
  const [count, setCount] = useState(rowsAtATime);
  const { schema, root, depth = 0 } = props;
  const entries = Object.entries(value);
  return (
    <>
      <dl class="data">
        {entries.slice(0, count).map(([name, member]) => {
          const inner = propertyOf(schema, name, root);
          return (
            <div key={name}>
              <dt>
                <Name name={name} schema={inner} />
              </dt>
              <dd>
                <Data value={member} schema={inner} root={root} depth={depth + 1} />
              </dd>
            </div>
          );
        })}
      </dl>
      <More left={entries.length - count} onMore={() => setCount(count + rowsAtATime * 5)} />
    </>
  );
}

function List({ list, props }: { list: readonly unknown[]; props: DataProps }): VNode {
  const [count, setCount] = useState(rowsAtATime);
  const { schema, root, depth = 0 } = props;
  const items = resolve(schema["items"], root);
  return (
    <>
      <ol class="data">
        {list.slice(0, count).map((item, index) => (
          <li key={index}>
            <Data value={item} schema={items} root={root} depth={depth + 1} />
          </li>
        ))}
      </ol>
      <More left={list.length - count} onMore={() => setCount(count + rowsAtATime * 5)} />
    </>
  );
}

/** A JSON value for people: objects as names and values, lists of objects as tables. */
export function Data(props: DataProps): VNode {
  const { value, depth = 0 } = props;
  const [isOpen, setIsOpen] = useState(depth < openDepth);
  const isList = Array.isArray(value);
  if (!isList && !isRow(value)) {
    return <Scalar value={value} />;
  }
  const count = isList ? value.length : Object.keys(value).length;
  const what = isList
    ? count === 1
      ? "1 item"
      : `${count} items`
    : count === 1
      ? "1 property"
      : `${count} properties`;
  if (count === 0) {
    return <span class="dim">{isList ? "empty list" : "empty object"}</span>;
  }
  if (depth >= maxDepth) {
    return <code>{JSON.stringify(value).slice(0, maxText)}</code>;
  }
  if (!isOpen) {
    return (
      <button type="button" class="link" aria-expanded="false" onClick={() => setIsOpen(true)}>
        {what}
      </button>
    );
  }
  if (!isList) {
    return <Properties value={value} props={props} />;
  }
  const columns = columnsOf(value);
  return columns === undefined ? (
    <List list={value} props={props} />
  ) : (
    <Table list={value as readonly Row[]} columns={columns} props={props} />
  );
}
