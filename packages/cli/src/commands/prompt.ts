import type { Invocation } from "../command/invocation.ts";
import { contentText } from "../output/content.ts";
import { visible } from "../output/escape.ts";
import { readArguments } from "../session/arguments.ts";
import { inSession, type OpenSession } from "../session/open.ts";
import { showProgress } from "../session/progress.ts";

/** Has a prompt filled in and prints its messages. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { printer, rest, shell } = invocation;
  const name = invocation.operand("prompt");
  const given = await readArguments(rest, undefined, shell);
  // Arguments of prompts are strings.
  const args = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
  let params = name === undefined ? undefined : { name, arguments: args };
  const result = await inSession(invocation, async (opened) => {
    // The user chooses once, even if the server then requires a further scope.
    params ??= await choosePrompt(opened, invocation.signal);
    const { session, signal } = opened;
    return session.getPrompt(params, { signal, onProgress: showProgress(printer, params.name) });
  });
  printer.result(result, () => {
    const messages = result.messages.map(
      ({ role, content }) => `${printer.style.bold(`${role}:`)} ${contentText(content)}`,
    );
    const about = result.description === undefined ? [] : [printer.style.dim(visible(result.description))];
    return [...about, ...messages].join("\n");
  });
}

/** Prompts for a prompt and its arguments. */
async function choosePrompt(
  opened: OpenSession,
  signal: AbortSignal,
): Promise<{ readonly name: string; readonly arguments: Record<string, string> }> {
  const { chooseDefinition } = await import("../session/choose-definition.ts");
  const { promptArguments } = await import("../session/prompt-arguments.ts");
  const prompt = await chooseDefinition(opened, "prompts");
  return { name: prompt.name, arguments: await promptArguments(prompt, signal) };
}
