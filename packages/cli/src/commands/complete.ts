import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { visibleLine } from "../output/escape.ts";
import { openSession } from "../session/open.ts";

/** Requests values of an argument of a prompt, or of a variable of a template. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { printer, rest } = invocation;
  const reference = invocation.required("reference");
  const [argument = ["", ""], ...others] = [invocation.required("argument"), ...rest].map(pairOf);
  const [name, value] = argument;
  const ref = /^[A-Za-z][\w+.-]*:/.test(reference)
    ? { type: "ref/resource" as const, uri: reference }
    : { type: "ref/prompt" as const, name: reference };
  await using opened = await openSession(invocation);
  const { signal } = opened;
  const result = await opened.session.complete(
    {
      ref,
      argument: { name, value },
      ...(others.length === 0 ? {} : { context: { arguments: Object.fromEntries(others) } }),
    },
    { signal },
  );
  const { completion } = result;
  printer.result(result, () => {
    const lines = completion.values.map((each) => visibleLine(each));
    return [...lines, ...(completion.hasMore === true ? ["…"] : [])].join("\n");
  });
}

function pairOf(word: string): [string, string] {
  const equals = word.indexOf("=");
  if (equals < 1) {
    throw usageError(`${JSON.stringify(word)} names no argument.`, "name=the beginning of a value");
  }
  return [word.slice(0, equals), word.slice(equals + 1)];
}
