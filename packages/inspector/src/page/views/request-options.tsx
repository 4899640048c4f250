import { signal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { useState } from "preact/hooks";

import { asSchema, type Schema } from "../form/shape.ts";
import { ownSignal } from "../servers.ts";
import { attempt, say, state } from "../store.ts";

/** The `_meta` of requests as the person wrote it, by target. */
export const metaText: Signal<Readonly<Record<string, string>>> = ownSignal({});
/** The idle timeout of calls, in milliseconds. `undefined`: the default of the client. */
export const timeLimit: Signal<number | undefined> = signal(undefined);

const metaId = "request-meta";

function readMeta(text: string): { readonly value: Schema | undefined } | { readonly problem: string } {
  if (text.trim() === "") {
    return { value: undefined };
  }
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? { value: asSchema(value) }
      : { problem: 'Must be an object, such as {"example.com/tenant": 5}.' };
  } catch (error) {
    return { problem: `Must be JSON: ${(error as Error).message}` };
  }
}

/**
 * The `_meta` of the next request of a target. If it cannot be sent, the focus moves to its field,
 * and `undefined` is returned.
 */
export function metaOf(key: string): { readonly value: Schema | undefined } | undefined {
  const meta = readMeta(metaText.value[key] ?? "");
  if ("value" in meta) {
    return meta;
  }
  const field = document.getElementById(metaId);
  field?.closest("details")?.setAttribute("open", "");
  field?.focus();
  say(`_meta: ${meta.problem}`);
  return undefined;
}

function Headers(): VNode {
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const headers = state.value?.headers ?? {};
  const set = (changed: Readonly<Record<string, string>>): Promise<boolean> =>
    attempt({ do: "headers", headers: changed });
  const add = async (): Promise<void> => {
    if (await set({ ...headers, [name.toLowerCase()]: value })) {
      setName("");
      setValue("");
    }
  };
  return (
    <fieldset>
      <legend class="name">Headers of all further HTTP requests to the server</legend>
      {Object.entries(headers).map(([one, sent]) => (
        <p key={one} class="new">
          <code>
            {one}: {sent}
          </code>
          <button
            type="button"
            aria-label={`Remove the header ${one}`}
            onClick={() => void set(Object.fromEntries(Object.entries(headers).filter(([at]) => at !== one)))}
          >
            ✕
          </button>
        </p>
      ))}
      <p class="new">
        <input
          type="text"
          aria-label="Name of a header"
          placeholder="x-tenant"
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <input
          type="text"
          aria-label="Value of the header"
          placeholder="value"
          value={value}
          onInput={(event) => setValue(event.currentTarget.value)}
        />
        <button type="button" disabled={name === ""} onClick={() => void add()}>
          Add
        </button>
      </p>
    </fieldset>
  );
}

/** What is sent with a request beside its arguments. */
export function RequestOptions({ target }: { target: string }): VNode {
  const text = metaText.value[target] ?? "";
  const meta = readMeta(text);
  const problem = "problem" in meta ? meta.problem : undefined;
  return (
    <details class="options">
      <summary>Metadata, time limit{state.value?.source.url === undefined ? "" : " and headers"}</summary>
      <div class="field">
        <label class="name" for={metaId}>
          _meta
        </label>
        <textarea
          id={metaId}
          class="code"
          rows={3}
          spellcheck={false}
          placeholder={'{ "example.com/tenant": 5 }'}
          value={text}
          aria-invalid={problem !== undefined}
          aria-describedby={problem === undefined ? `${metaId}-hint` : `${metaId}-error`}
          onInput={(event) => {
            metaText.value = { ...metaText.value, [target]: event.currentTarget.value };
          }}
        />
        {problem === undefined ? (
          <p class="hint" id={`${metaId}-hint`}>
            Added to the _meta of the client.
          </p>
        ) : (
          <p class="problem" id={`${metaId}-error`}>
            {problem}
          </p>
        )}
      </div>
      <div class="field">
        <label class="name" for="request-timeout">
          Time without a message after which the call fails, in milliseconds
        </label>
        <input
          id="request-timeout"
          type="number"
          min={1}
          placeholder="60000"
          value={timeLimit.value === undefined ? "" : String(timeLimit.value)}
          onInput={(event) => {
            const { value } = event.currentTarget;
            timeLimit.value = Number(value) >= 1 ? Number(value) : undefined;
          }}
        />
      </div>
      {state.value?.source.url !== undefined && <Headers />}
    </details>
  );
}
