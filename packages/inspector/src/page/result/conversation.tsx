import type { VNode } from "preact";

import { asSchema, text } from "../form/shape.ts";
import { Blocks } from "./content.tsx";

const roles: Readonly<Record<string, string>> = { user: "User", assistant: "Assistant" };

/** How many messages are drawn. */
const maxMessages = 200;

/** Messages of a prompt, or of a request for a model, as a conversation. */
export function Conversation({ messages, label }: { messages: unknown; label: string }): VNode {
  const list = Array.isArray(messages) ? (messages as readonly unknown[]) : [];
  return (
    <ol class="conversation" aria-label={label}>
      {list.slice(0, maxMessages).map((message, index) => {
        const { role, content } = asSchema(message);
        const who = text(role);
        return (
          <li key={index} class={who === "assistant" ? "assistant" : "user"}>
            <p class="role">{roles[who] ?? who}</p>
            <Blocks content={content} read={undefined} />
          </li>
        );
      })}
      {list.length > maxMessages && (
        <li class="dim">{list.length - maxMessages} further messages: see the JSON.</li>
      )}
    </ol>
  );
}
