import { cancel, confirm, isCancel, note, select, text } from "@clack/prompts";
import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
} from "@tenon/protocol";

import type { Invocation } from "../command/invocation.ts";
import { contentText } from "../output/content.ts";
import { visible, visibleLine } from "../output/escape.ts";
import { Interrupted } from "../shell.ts";
import { askFields } from "./ask-fields.ts";
import { fieldsOf, type Field } from "./fields.ts";
import { inTurn, output, until } from "./prompt.ts";

/** Puts the form of a server to the person at the terminal, who can decline it at each prompt. */
export async function askForm(
  invocation: Invocation,
  params: ElicitRequestFormParams,
  server: string,
  signal: AbortSignal,
): Promise<ElicitResult> {
  return inTurn(signal, () => showForm(invocation, params, server, signal));
}

async function showForm(
  { printer }: Invocation,
  { message, requestedSchema }: ElicitRequestFormParams,
  server: string,
  signal: AbortSignal,
): Promise<ElicitResult> {
  printer.progress(undefined);
  const fields = fieldsOf(requestedSchema);
  const names = fields.map(
    ({ label, isRequired }) => `${visibleLine(label)}${isRequired ? "" : " (optional)"}`,
  );
  const confirms = fields.length > 1 ? "You confirm the values at the end. " : "";
  const keys = fields.length === 0 ? [] : [`${confirms}Esc: leave the form`];
  const lines = [visible(message), ...names.map((each) => `- ${each}`), ...keys];
  note(lines.join("\n"), `${visibleLine(server)} asks`, { output });
  let refusal: "cancel" | "decline" = "cancel";
  const onStop = async (): Promise<boolean> => {
    const choice = await until(signal, (own) =>
      select({
        message: fields.length === 0 ? "Do you agree?" : "Fill in the form?",
        options: [
          { value: "continue", label: "Yes" },
          { value: "decline", label: "Decline" },
        ],
        signal: own,
        output,
      }),
    );
    refusal = choice === "decline" ? "decline" : "cancel";
    return choice === "continue";
  };
  const values =
    fields.length > 0
      ? await askFields(fields, { signal, onStop })
      : (await onStop())
        ? new Map()
        : undefined;
  if (values === undefined) {
    if (refusal === "cancel") {
      cancel("Cancelled.", { output });
    }
    return { action: refusal };
  }
  const content = Object.fromEntries(values);
  return { action: "accept", content: content as NonNullable<ElicitResult["content"]> };
}

/** Shows the whole address of a page, and requests consent. */
export async function askUrl(
  { printer }: Invocation,
  { message, url }: ElicitRequestURLParams,
  server: string,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const agrees = await inTurn(signal, () => {
    printer.progress(undefined);
    note(`${visible(message)}\n${visible(url)}`, `${visibleLine(server)} asks you to visit a page`, {
      output,
    });
    return until(signal, (own) =>
      confirm({ message: "Have you visited it, and do you agree?", signal: own, output }),
    );
  });
  return { action: isCancel(agrees) ? "cancel" : agrees ? "accept" : "decline" };
}

/**
 * Shows the messages that a server has for a model. The person writes the message of the model.
 * `undefined` if the person declines.
 */
export async function askModel(
  { printer }: Invocation,
  { messages, systemPrompt }: CreateMessageRequestParams,
  server: string,
  signal: AbortSignal,
): Promise<CreateMessageResult | undefined> {
  const said = messages.map(({ role, content }) => {
    const blocks = Array.isArray(content) ? content : [content];
    return `${role}: ${blocks.map((block) => contentText(block as never)).join("\n")}`;
  });
  const all = systemPrompt === undefined ? said : [`system: ${systemPrompt}`, ...said];
  const message = "Write it as the model would. Leave it empty to decline.";
  const written = await inTurn(signal, () => {
    printer.progress(undefined);
    note(visible(all.join("\n")), `${visibleLine(server)} asks for a message of a model`, { output });
    return until(signal, (own) => text({ message, signal: own, output }));
  });
  return isCancel(written) || (written ?? "") === ""
    ? undefined
    : {
        role: "assistant",
        model: "person",
        stopReason: "endTurn",
        content: { type: "text", text: written },
      };
}

/**
 * Prompts for missing arguments of a tool, and offers the optional ones.
 *
 * @throws `Interrupted` if the person gives up.
 */
export async function askArguments(
  fields: readonly Field[],
  more: readonly Field[],
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  const values = await inTurn(signal, () =>
    askFields(fields, { signal, more, onStop: () => Promise.resolve(false) }),
  );
  if (values === undefined) {
    throw new Interrupted();
  }
  return Object.fromEntries(values);
}
