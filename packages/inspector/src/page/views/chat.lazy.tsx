import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import type { Approval } from "../../wire/action.ts";
import type { ChatCall, ChatMessage } from "../../wire/chat.ts";
import { createCollector } from "../collector.ts";
import { asSchema } from "../form/shape.ts";
import { Empty } from "../parts/empty.tsx";
import { Data } from "../result/data.tsx";
import { Text } from "../result/text.tsx";
import { attempt, isOpen, definitions, state } from "../store.ts";
import { Lines } from "./lines.tsx";
import { Outcome } from "./outcome.tsx";
import { EffectMark } from "./target-list.tsx";
import { targetsOf } from "./targets.ts";

/** How many messages of the wire are shown beside the chat. */
const maxLines = 40;
const none = asSchema(undefined);

const wireLines = createCollector(({ kind }) => kind !== "http");

/** A call that waits for the person: what the model wants, and what the server says of the tool. */
function Ask({ call }: { call: ChatCall }): VNode {
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), []);
  const target = targetsOf(definitions.value).find(
    (one) => one.method === "tools/call" && one.name === call.name,
  );
  const decide = (approval: Approval) => () => void attempt({ do: "approve", call: call.id, approval });
  return (
    <section class="card ask" ref={box} role="alert" aria-label={`The model asks to call ${call.name}`}>
      <h3>
        The model asks to call <code>{call.name}</code>{" "}
        {target !== undefined && <EffectMark target={target} />}
      </h3>
      {target?.description !== undefined && <p class="entry-text">{target.description.slice(0, 500)}</p>}
      <Data value={call.arguments} schema={target?.schema ?? none} root={target?.schema ?? none} />
      <p class="send">
        <button type="button" class="primary" onClick={decide("once")}>
          Allow this call
        </button>
        <button type="button" onClick={decide("always")}>
          Allow this tool in this chat
        </button>
        <button type="button" onClick={decide("refuse")}>
          Refuse
        </button>
      </p>
    </section>
  );
}

function Call({ call }: { call: ChatCall }): VNode {
  const { id, name, phase } = call;
  if (phase === "asking") {
    return <Ask call={call} />;
  }
  return (
    <section class="card" aria-label={`Call of ${name}`}>
      <details>
        <summary>
          <code>{name}</code> {phase === "refused" && <span class="tag">not called</span>}
        </summary>
        <Data value={call.arguments} schema={none} root={none} />
      </details>
      {phase !== "refused" && <Outcome call={id} />}
    </section>
  );
}

function Said({ message }: { message: ChatMessage }): VNode {
  return (
    <li class={`said ${message.role}`}>
      <p class="dim">{message.role === "user" ? "You" : "Model"}</p>
      {(message.text !== "" || message.role === "user") && (
        <Text text={message.text} mimeType={message.role === "user" ? undefined : "text/markdown"} />
      )}
      {message.role === "assistant" &&
        message.calls.map((call, index) => <Call key={call.id || index} call={call} />)}
    </li>
  );
}

function Say({ isOpen, isBusy }: { isOpen: boolean; isBusy: boolean }): VNode {
  const [text, setText] = useState("");
  const send = async (): Promise<void> => {
    if (text.trim() !== "" && isOpen && !isBusy) {
      setText("");
      if (!(await attempt({ do: "say", text }))) {
        setText(text);
      }
    }
  };
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        aria-label="Message to the model"
        placeholder="Ask the model. It can call the tools of the server."
        rows={3}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
            event.preventDefault();
            void send();
          }
        }}
      />
      <p class="send">
        <button type="submit" class="primary" disabled={!isOpen || isBusy || text.trim() === ""}>
          Send to the model
        </button>
        {isBusy && (
          <button type="button" onClick={() => void attempt({ do: "stop" })}>
            Stop
          </button>
        )}
      </p>
    </form>
  );
}

/** A conversation with the model of the person, which calls tools; its messages on the wire beside it. */
export function Chat(): VNode {
  const { model, chat } = state.value ?? {};
  const end = useRef<HTMLDivElement>(null);
  const messages = chat?.messages ?? [];
  useEffect(() => end.current?.scrollIntoView({ block: "nearest" }), [messages.length, chat?.isBusy]);
  if (model === undefined) {
    return (
      <Empty title="There is no model to chat with.">
        Start the inspector with one: <code>tenon inspect &lt;target&gt; --model openai:gpt-5</code>. Its key
        stays in that process.
      </Empty>
    );
  }
  const isBusy = chat?.isBusy === true;
  const last = messages.at(-1);
  const isAsking = last?.role === "assistant" && last.calls.some(({ phase }) => phase === "asking");
  const lines = wireLines.items.slice(0, maxLines).toReversed();
  return (
    <div class="chat">
      <section class="talk" aria-label="Chat">
        <h2>
          Chat <code class="dim">{model}</code>
        </h2>
        {messages.length === 0 && (
          <Empty title="Nothing was said yet.">
            The model sees the instructions and the tools of the server. Each call waits until you allow it.
            What you write, and the results of calls, are sent to the vendor of the model.
          </Empty>
        )}
        <ul aria-label="Conversation">
          {messages.map((message, index) => (
            <Said key={index} message={message} />
          ))}
        </ul>
        <p class="facts" role="status">
          {isBusy && <span>{isAsking ? "The model waits for you." : "The model works…"}</span>}
          {chat !== undefined && (
            <span class="dim">
              {chat.usage.input} tokens sent, {chat.usage.output} received
            </span>
          )}
          {chat !== undefined && messages.length > 0 && (
            <button type="button" class="link" onClick={() => void attempt({ do: "forget" })}>
              New chat
            </button>
          )}
        </p>
        {chat?.reason !== undefined && <p class="failure plain">{chat.reason}</p>}
        <Say isOpen={isOpen.value} isBusy={isBusy} />
        {!isOpen.value && <p class="problem">The server is not connected. Choose Connect above.</p>}
        <div ref={end} />
      </section>
      <section class="wire" aria-label="On the wire">
        <h2>On the wire</h2>
        {lines.length === 0 ? (
          <Empty title="Nothing was said yet.">The messages of the calls will be listed here.</Empty>
        ) : (
          <Lines items={lines} label="Last messages on the wire" />
        )}
      </section>
    </div>
  );
}
