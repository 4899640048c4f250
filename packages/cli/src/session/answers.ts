import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { isRecord } from "@tenon/base";
import type { ElicitationHandlers } from "@tenon/mcp/client";
import type { ElicitRequestFormParams, ElicitResult } from "@tenon/protocol";

import type { Invocation } from "../command/invocation.ts";
import { parseJson } from "../command/parse-json.ts";
import { CliError, usageError } from "../exit.ts";
import { messageOf, visible } from "../output/escape.ts";
import { isInteractive } from "../shell.ts";

/**
 * The handlers of input requests: `--elicit`, or the person at the terminal. Without both, the
 * client does not declare elicitation.
 *
 * @param fail - Called with the reason if `--elicit` does not provide the input.
 * @throws `CliError` for a file that cannot be read.
 */
export async function answersFor(
  invocation: Invocation,
  fail: (error: unknown) => void,
): Promise<ElicitationHandlers | undefined> {
  const { flags, printer, shell } = invocation;
  const how = flags.text("elicit");
  if (how === undefined) {
    return isInteractive(shell) ? askingPerson(invocation) : undefined;
  }
  if (how === "decline") {
    const decline = (): ElicitResult => ({ action: "decline" });
    return { form: decline, url: decline };
  }
  const given = how === "accept" ? [] : await readAnswers(resolve(shell.cwd, how), how);
  let next = 0;
  return {
    form(params) {
      const answer = given[Math.min(next, given.length - 1)] ?? {};
      next++;
      try {
        return { action: "accept", content: contentFor(params, answer, how) };
      } catch (error) {
        fail(error);
        throw error;
      }
    },
    url({ url, message }) {
      printer.note(`${visible(message)}\n${visible(url)}`);
      return { action: "accept" };
    },
  };
}

async function askingPerson(invocation: Invocation): Promise<ElicitationHandlers> {
  return {
    form: async (params, { session, signal }) => {
      const { askForm } = await import("./ask-person.ts");
      return askForm(invocation, params, session?.serverInfo?.name ?? "The server", signal);
    },
    url: async (params, { session, signal }) => {
      const { askUrl } = await import("./ask-person.ts");
      return askUrl(invocation, params, session?.serverInfo?.name ?? "The server", signal);
    },
  };
}

async function readAnswers(path: string, name: string): Promise<readonly Record<string, unknown>[]> {
  let parsed: unknown;
  try {
    parsed = parseJson(await readFile(path, "utf8"));
  } catch (cause) {
    throw new CliError("usage", `--elicit ${name}: the file must hold JSON. ${messageOf(cause)}`, {
      hint: "--elicit accept | decline | <file>",
      cause,
    });
  }
  const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  if (list.length === 0 || !list.every(isRecord)) {
    throw usageError(
      `--elicit ${name}: the file must hold an object with the fields of the form, or an array with one object per form.`,
    );
  }
  return list;
}

/** The given fields of a form, and the defaults of its other fields. */
function contentFor(
  { requestedSchema, message }: ElicitRequestFormParams,
  answers: Readonly<Record<string, unknown>>,
  how: string,
): NonNullable<ElicitResult["content"]> {
  const { properties, required = [] } = requestedSchema;
  const content = Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]): [string, unknown][] => {
      if (Object.hasOwn(answers, name)) {
        return [[name, answers[name]]];
      }
      return "default" in schema && schema.default !== undefined ? [[name, schema.default]] : [];
    }),
  );
  const missing = required.filter((name) => !Object.hasOwn(content, name));
  if (missing.length > 0) {
    throw usageError(
      `The server asks ${JSON.stringify(visible(message))} and needs ${missing.join(", ")}; --elicit ${how} has no value.`,
      "put the fields into a JSON file: --elicit fields.json",
    );
  }
  return content as NonNullable<ElicitResult["content"]>;
}
