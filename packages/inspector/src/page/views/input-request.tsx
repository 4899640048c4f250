import type { VNode } from "preact";
import { useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

import type { Answer } from "../../wire/action.ts";
import type { InputKind, InputRequest } from "../../wire/state.ts";
import { Editor, noProblems, type Problems } from "../form/editor.tsx";
import { passes } from "../form/problems.ts";
import { asSchema, initialOf, text as textOf } from "../form/shape.ts";
import { keyLabel } from "../machine.ts";
import { Json } from "../parts/json.tsx";
import { Conversation } from "../result/conversation.tsx";
import { hostOf } from "../result/outside-link.tsx";
import { Text } from "../result/text.tsx";
import { say } from "../store.ts";
import { draftOf, keepDraft, respond } from "./answered.ts";
import { askerOf, needsResponse, unseen } from "./asking.ts";

/** What is asked for, after the name of the one who asks. */
const wishes: Readonly<Record<InputKind, string>> = {
  form: "asks for values",
  url: "asks you to visit a page",
  sampling: "asks for a message of a model",
};

interface ButtonsProps {
  readonly request: InputRequest;
  readonly content: Answer["content"];
  /** The words of the button that sends the content. Ctrl+Enter in the card does the same. */
  readonly accept?: string;
  /** The page to visit: a link opens it and sends the consent. */
  readonly page?: { readonly url: string; readonly host: string } | undefined;
  readonly problems?: Problems;
}

/** The buttons of a request, and whether its response is given to all further ones. */
function Buttons({ request, content, accept, page, problems }: ButtonsProps): VNode {
  const [always, setAlways] = useState(false);
  const id = useId();
  const answer = (action: Answer["action"]): void => {
    if (action === "accept" && problems !== undefined && !passes(request.id, problems.peek())) {
      return;
    }
    const sent: Answer = action === "accept" && content !== undefined ? { action, content } : { action };
    void respond(request, sent, always);
  };
  return (
    <p class="send">
      {accept !== undefined && (
        <button type="button" class="primary accept" onClick={() => answer("accept")}>
          {accept} <kbd aria-hidden="true">{keyLabel("mod+Enter")}</kbd>
        </button>
      )}
      {page !== undefined && (
        <a
          class="button primary"
          href={page.url}
          target="_blank"
          rel="noopener noreferrer"
          onClick={() => answer("accept")}
        >
          Agree and open {page.host}
        </a>
      )}
      <button type="button" onClick={() => answer("decline")}>
        Decline
      </button>
      <button type="button" onClick={() => answer("cancel")}>
        Cancel the question
      </button>
      <label class="check" for={id}>
        <input id={id} type="checkbox" checked={always} onChange={() => setAlways(!always)} />
        The same for all further ones
      </label>
    </p>
  );
}

function FormRequest({ request }: { request: InputRequest }): VNode {
  const schema = asSchema(asSchema(request.params)["requestedSchema"]);
  const initial = useMemo(() => initialOf(schema, schema) ?? {}, [request.id]);
  const value = draftOf(request, () => initial);
  const [problems] = useState(noProblems);
  return (
    <>
      <Editor
        id={request.id}
        schema={schema}
        value={value}
        onChange={(changed) => keepDraft(request, changed)}
        label="Values for the server"
        problems={problems}
      />
      <Buttons request={request} content={asSchema(value)} accept="Send the values" problems={problems} />
    </>
  );
}

function UrlRequest({ request }: { request: InputRequest }): VNode {
  const url = textOf(asSchema(request.params)["url"]);
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
          The page is on <strong>{host}</strong>. Open it only if you know this name.
        </p>
      )}
      <Buttons request={request} content={undefined} page={host === undefined ? undefined : { url, host }} />
    </>
  );
}

function SamplingRequest({ request }: { request: InputRequest }): VNode {
  const { systemPrompt, messages, maxTokens, modelPreferences, tools } = asSchema(request.params);
  const text = draftOf(request, () => "");
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
        <span>at most {textOf(maxTokens)} tokens</span>
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
          onInput={(event) => keepDraft(request, event.currentTarget.value)}
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

const modifiers: ReadonlySet<string> = new Set(["Control", "Meta", "Shift", "Alt"]);

/** Has Ctrl+Enter send the response of the card in which it is pressed, and nothing else. */
function sendByKey(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const { currentTarget: card, key, repeat } = event;
  const accept = card.querySelector<HTMLButtonElement>("button.accept");
  const isUnseen = unseen.current === card.dataset["ask"];
  if (key === "Enter" && (event.ctrlKey || event.metaKey) && accept !== null) {
    event.preventDefault();
    if (isUnseen) {
      say(needsResponse);
    } else {
      accept.click();
    }
  }
  if (isUnseen && !repeat && !modifiers.has(key)) {
    unseen.current = undefined;
  }
}

/** Has the focus stay near a card that goes: at what becomes of its call, or in the view. */
function leave(card: HTMLElement | null): void {
  if (card?.contains(document.activeElement) === true) {
    card.parentElement?.closest<HTMLElement>(".outcome, main")?.focus({ preventScroll: true });
  }
}

/** An input request of the server, with the form for its response. */
export function InputRequestCard({ request }: { request: InputRequest }): VNode {
  const Body = bodies[request.kind];
  const { message } = asSchema(request.params);
  const asker = askerOf(request);
  const wish = wishes[request.kind];
  const card = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const { current } = card;
    return () => leave(current);
  }, []);
  return (
    <section
      ref={card}
      tabIndex={-1}
      class="card ask"
      aria-label={`${asker ?? "The server"} ${wish}`}
      data-ask={request.id}
      onKeyDown={sendByKey}
      onPointerDown={() => (unseen.current = undefined)}
    >
      <h3>
        {asker === undefined ? "The server" : <code>{asker}</code>} {wish}
      </h3>
      {typeof message === "string" && <Text text={message} />}
      <Body request={request} />
    </section>
  );
}
