import type { VNode } from "preact";
import { useState } from "preact/hooks";

import type { Answer } from "../../wire/action.ts";
import type { InputKind, InputRequest } from "../../wire/state.ts";
import { Editor, noProblems, type Problems } from "../form/editor.tsx";
import { passes } from "../form/problems.ts";
import { asSchema, initialOf } from "../form/shape.ts";
import { clockTime } from "../format.ts";
import { Json } from "../parts/json.tsx";
import { Conversation } from "../result/conversation.tsx";
import { hostOf } from "../result/outside-link.tsx";
import { attempt } from "../store.ts";

const titles: Readonly<Record<InputKind, string>> = {
  form: "The server asks for values",
  url: "The server asks you to visit a page",
  sampling: "The server asks for a message of a model",
};

/** The buttons of a request, and whether its response is given to all further ones. */
function Buttons({
  request,
  content,
  accept,
  disabled,
  problems,
}: {
  request: InputRequest;
  content: Answer["content"];
  accept: string;
  disabled?: boolean;
  problems?: Problems;
}): VNode {
  const [always, setAlways] = useState(false);
  const respond = (action: Answer["action"]): void => {
    if (action === "accept" && problems !== undefined && !passes(request.id, problems.peek())) {
      return;
    }
    const answer: Answer = action === "accept" && content !== undefined ? { action, content } : { action };
    void attempt({ do: "answer", question: request.id, answer, always });
  };
  return (
    <p class="send">
      <button type="button" class="primary" disabled={disabled} onClick={() => respond("accept")}>
        {accept}
      </button>
      <button type="button" onClick={() => respond("decline")}>
        Decline
      </button>
      <button type="button" onClick={() => respond("cancel")}>
        Cancel
      </button>
      <label class="check">
        <input type="checkbox" checked={always} onChange={() => setAlways(!always)} />
        The same for all further ones
      </label>
    </p>
  );
}

function FormRequest({ request }: { request: InputRequest }): VNode {
  const schema = asSchema(asSchema(request.params)["requestedSchema"]);
  const [value, setValue] = useState<unknown>(() => initialOf(schema, schema) ?? {});
  const [problems] = useState(noProblems);
  return (
    <>
      <Editor
        id={request.id}
        schema={schema}
        value={value}
        onChange={setValue}
        label="Values for the server"
        problems={problems}
      />
      <Buttons request={request} content={asSchema(value)} accept="Send the values" problems={problems} />
    </>
  );
}

function UrlRequest({ request }: { request: InputRequest }): VNode {
  const url = String(asSchema(request.params)["url"]);
  const host = hostOf(url);
  return (
    <>
      <p>
        <code class="url">{url}</code>
      </p>
      {host === undefined ? (
        <p class="problem">The inspector opens http and https addresses only.</p>
      ) : (
        <p>
          The page is on <strong>{host}</strong>. Open it only if you know this name.{" "}
          <a href={url} target="_blank" rel="noopener noreferrer">
            Open {host}
          </a>
        </p>
      )}
      <Buttons
        request={request}
        content={undefined}
        accept="I agree to visit it"
        disabled={host === undefined}
      />
    </>
  );
}

function SamplingRequest({ request }: { request: InputRequest }): VNode {
  const { systemPrompt, messages, maxTokens, modelPreferences, tools } = asSchema(request.params);
  const [text, setText] = useState("");
  const [model, setModel] = useState("person");
  const content = { role: "assistant", model, stopReason: "endTurn", content: { type: "text", text } };
  return (
    <>
      {typeof systemPrompt === "string" && (
        <p class="description">
          <strong>System prompt:</strong> {systemPrompt}
        </p>
      )}
      <Conversation messages={messages} label="Messages so far" />
      <p class="facts">
        <span>at most {String(maxTokens)} tokens</span>
        {Array.isArray(tools) && <span>{tools.length} tools</span>}
        {modelPreferences !== undefined && <span>{JSON.stringify(modelPreferences)}</span>}
      </p>
      {Array.isArray(tools) && (
        <details>
          <summary>Tools that the model may call</summary>
          <Json value={tools} label="Tools of the model" />
        </details>
      )}
      <div class="field">
        <label class="name" for={`${request.id}-text`}>
          Your message as the model
        </label>
        <textarea
          id={`${request.id}-text`}
          rows={5}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </div>
      <div class="field">
        <label class="name" for={`${request.id}-model`}>
          Model
        </label>
        <input
          id={`${request.id}-model`}
          type="text"
          value={model}
          onInput={(event) => setModel(event.currentTarget.value)}
        />
      </div>
      <Buttons request={request} content={content} accept="Send the message" />
    </>
  );
}

const bodies: Readonly<Record<InputKind, (props: { request: InputRequest }) => VNode>> = {
  form: FormRequest,
  url: UrlRequest,
  sampling: SamplingRequest,
};

/** An input request of the server, with the form for its response. */
export function InputRequestCard({ request }: { request: InputRequest }): VNode {
  const Body = bodies[request.kind];
  const { message } = asSchema(request.params);
  return (
    <section class="card ask" aria-label={titles[request.kind]}>
      <h3>
        {titles[request.kind]} <span class="dim">{clockTime(request.at)}</span>
      </h3>
      {typeof message === "string" && <p class="description">{message}</p>}
      <Body request={request} />
    </section>
  );
}
