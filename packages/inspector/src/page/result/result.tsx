import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";

import { asSchema, text, type Schema } from "../form/shape.ts";
import { validate } from "../form/validate.ts";
import { Json, LineText } from "../parts/json.tsx";
import { definitions } from "../store.ts";
import { Blocks, ResourceContents, type ReadResource } from "./content.tsx";
import { Conversation } from "./conversation.tsx";
import { Data } from "./data.tsx";
import { useMessage } from "./message.ts";

/** The tool that a result is of. */
function toolOf(name: string | undefined): Schema | undefined {
  return definitions.value?.tools.map(asSchema).find((tool) => tool["name"] === name);
}

/** An error response. */
function ErrorResponse({ error }: { error: Schema }): VNode {
  const { code, message, data } = error;
  return (
    <div class="failure" role="group" aria-label="Error">
      <p>
        <strong>The server responds with an error.</strong> <code class="dim">{text(code)}</code>
      </p>
      <p class="plain">{text(message)}</p>
      {data !== undefined && <Json value={data} label="Data of the error" />}
    </div>
  );
}

function Structured({ value, schema }: { value: unknown; schema: Schema | undefined }): VNode {
  const checked = useMemo(
    () => (schema === undefined ? undefined : validate(schema, value)),
    [schema, value],
  );
  const problems = [...(checked?.errors ?? [])];
  return (
    <section class="block" aria-label="Structured content">
      <p class="facts">
        <span class="tag">structured content</span>
        {checked === undefined ? (
          <span>The tool has no output schema.</span>
        ) : checked.schemaProblem !== undefined ? (
          <span class="problem">The output schema cannot be used: {checked.schemaProblem}</span>
        ) : problems.length === 0 ? (
          <span class="status ok">✓ matches the output schema</span>
        ) : (
          <span class="status error">✕ does not match the output schema</span>
        )}
      </p>
      {problems.length > 0 && (
        <ul class="problems" aria-label="Differences from the output schema">
          {problems.slice(0, 50).map(([at, problem]) => (
            <li key={at} class="problem">
              {at === "" ? "" : `${at.slice(1)}: `}
              {problem}
            </li>
          ))}
        </ul>
      )}
      <Data value={value} schema={schema ?? {}} root={schema ?? {}} />
    </section>
  );
}

/** Whether the text of a result is only its structured content again. */
function repeats(content: unknown, structured: unknown): boolean {
  const [only, ...others] = Array.isArray(content) ? (content as readonly unknown[]) : [];
  const { type, text: said } = asSchema(only);
  if (others.length > 0 || type !== "text" || typeof said !== "string" || structured === undefined) {
    return false;
  }
  try {
    return JSON.stringify(JSON.parse(said)) === JSON.stringify(structured);
  } catch {
    return false;
  }
}

function Rendered({
  result,
  subject,
  read,
}: {
  result: Schema;
  subject: string | undefined;
  read: ReadResource | undefined;
}): VNode | null {
  const { content, structuredContent, contents, messages, completion, description, isError } = result;
  if (Array.isArray(contents)) {
    return (
      <>
        {contents.slice(0, 100).map((one, index) => (
          <ResourceContents key={index} resource={asSchema(one)} />
        ))}
        {contents.length === 0 && <p class="dim">The resource is empty.</p>}
      </>
    );
  }
  if (Array.isArray(messages)) {
    return (
      <>
        {typeof description === "string" && <p class="description">{description}</p>}
        <Conversation messages={messages} label="Messages of the prompt" />
      </>
    );
  }
  if (completion !== undefined) {
    return <Data value={asSchema(completion)["values"]} schema={{}} root={{}} />;
  }
  if (!Array.isArray(content) && structuredContent === undefined) {
    return null;
  }
  const isRepeated = isError !== true && repeats(content, structuredContent);
  const hasContent = Array.isArray(content) && content.length > 0 && !isRepeated;
  const blocks = hasContent && <Blocks content={content} read={read} />;
  return (
    <>
      {isError === true ? (
        <div class="failure" role="group" aria-label="Error">
          <p>
            <strong>The tool reports an error.</strong>
          </p>
          {blocks}
        </div>
      ) : (
        blocks
      )}
      {structuredContent !== undefined && (
        <Structured value={structuredContent} schema={schemaOf(toolOf(subject)?.["outputSchema"])} />
      )}
      {!hasContent && structuredContent === undefined && <p class="dim">The result has no content.</p>}
    </>
  );
}

function schemaOf(value: unknown): Schema | undefined {
  return value === undefined ? undefined : asSchema(value);
}

/** The result in a message: of a response, or of a task whose last state has it. */
function resultIn(message: unknown): { readonly result: Schema } | { readonly error: Schema } {
  const { error, result, params } = asSchema(message);
  const found = asSchema(result ?? params);
  const { error: failure, result: inner, taskId } = found;
  if (error !== undefined) {
    return { error: asSchema(error) };
  }
  if (typeof taskId === "string") {
    return failure !== undefined
      ? { error: asSchema(failure) }
      : inner !== undefined
        ? { result: asSchema(inner) }
        : { result: found };
  }
  return { result: found };
}

/** Properties of {@link Result}. */
export interface ResultProps {
  /** The line of the response. */
  readonly seq: number;
  /** The name of the tool. */
  readonly subject?: string | undefined;
  readonly read?: ReadResource | undefined;
}

/** A response as a person reads it, and as JSON. */
export function Result({ seq, subject, read }: ResultProps): VNode {
  const [asJson, setAsJson] = useState(false);
  const loaded = useMessage(seq);
  const json = <LineText seq={seq} raw={false} label="Result as JSON" />;
  if (loaded.kind === "loading") {
    return <p class="dim">Loading…</p>;
  }
  if (loaded.kind === "text") {
    return (
      <>
        <p class="dim">{loaded.reason}</p>
        {json}
      </>
    );
  }
  const found = resultIn(loaded.message);
  const rendered =
    "error" in found ? (
      <ErrorResponse error={found.error} />
    ) : (
      Rendered({ result: found.result, subject, read })
    );
  return rendered === null ? (
    json
  ) : (
    <>
      <p class="switch" role="group" aria-label="View of the result">
        <button type="button" aria-pressed={!asJson} onClick={() => setAsJson(false)}>
          Content
        </button>
        <button type="button" aria-pressed={asJson} onClick={() => setAsJson(true)}>
          JSON
        </button>
      </p>
      {asJson ? json : <div class="rendered">{rendered}</div>}
    </>
  );
}
