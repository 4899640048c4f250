import type { Invocation } from "../command/invocation.ts";
import { contentText } from "../output/content.ts";
import { visible } from "../output/escape.ts";
import { readArguments } from "../session/arguments.ts";
import { inSession } from "../session/open.ts";
import { showProgress } from "../session/progress.ts";

/** Has a prompt filled in and prints its messages. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { printer, rest, shell } = invocation;
  const name = invocation.required("prompt");
  const given = await readArguments(rest, undefined, shell);
  // Arguments of prompts are strings.
  const args = Object.fromEntries(
    Object.entries(given).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
  const result = await inSession(invocation, ({ session, signal }) =>
    session.getPrompt({ name, arguments: args }, { signal, onProgress: showProgress(printer, name) }),
  );
  printer.result(result, () => {
    const messages = result.messages.map(
      ({ role, content }) => `${printer.style.bold(`${role}:`)} ${contentText(content)}`,
    );
    const about = result.description === undefined ? [] : [printer.style.dim(visible(result.description))];
    return [...about, ...messages].join("\n");
  });
}
