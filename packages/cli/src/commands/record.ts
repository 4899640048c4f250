import { resolve } from "node:path";

import type { CallToolParams } from "@tenon/mcp/client";
import type { Tool } from "@tenon/protocol";
import { parseCassette, recordTransport } from "@tenon/testing/cassette";

import type { Invocation } from "../command/invocation.ts";
import { exitCodes, usageError } from "../exit.ts";
import { messageOf } from "../output/escape.ts";
import { readArguments } from "../session/arguments.ts";
import { missingArguments, missingError } from "../session/checked-arguments.ts";
import { fetchLists, listNames } from "../session/definitions.ts";
import { openTarget } from "../session/open.ts";
import { redactionOf } from "../session/redaction.ts";
import type { Shell } from "../shell.ts";
import { resolveTarget } from "../target/resolve.ts";
import { replaceFile } from "../write-file.ts";

/**
 * Records a conversation: all lists, and the given reads and calls. If one of them
 * fails, the recording is still written, and the exit code is 1.
 */
export async function run(invocation: Invocation): Promise<number> {
  const { flags, printer, shell } = invocation;
  const out = flags.text("out");
  if (out === undefined) {
    throw usageError("record needs a file.", "--out recording.jsonl");
  }
  const target = await resolveTarget(invocation);
  const lines: string[] = [];
  const redaction = redactionOf(flags);
  let failed = 0;
  const fail = (what: string, why: string): void => {
    failed++;
    printer.warn(`${what}: ${why}`);
  };
  {
    await using opened = await openTarget(invocation, target, {
      wrap: (transport) =>
        recordTransport(
          transport,
          { write: (line) => lines.push(line) },
          { target: target.label, redaction },
        ),
    });
    const { session, signal } = opened;
    const { tools = [] } = await fetchLists(session, listNames, signal);
    const calls = await Promise.all(flags.list("call").map((call) => readCall(call, tools, shell)));
    for (const uri of flags.list("read")) {
      await session.readResource({ uri }, { signal }).catch((error: unknown) => fail(uri, messageOf(error)));
    }
    for (const call of calls) {
      await session.callTool(call, { signal }).then(
        ({ isError }) => isError === true && fail(call.name, "the tool reports an error"),
        (error: unknown) => fail(call.name, messageOf(error)),
      );
    }
  }
  const path = resolve(shell.cwd, out);
  await replaceFile(path, lines.join(""));
  const { entries } = parseCassette(lines.join(""));
  printer.result({ file: path, entries: entries.length, failed }, () => `${path}: ${entries.length} entries`);
  return failed === 0 ? exitCodes.ok : exitCodes.failed;
}

/** A call such as `echo message=hi`. @throws `CliError` if a required argument is missing. */
async function readCall(call: string, tools: readonly Tool[], shell: Shell): Promise<CallToolParams> {
  const [name = "", ...words] = call.split(/\s+(?=\S)/);
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined && /[={]/.test(name)) {
    throw usageError(
      `--call takes the name of a tool and then its arguments; got ${JSON.stringify(call)}.`,
      "--call 'echo message=hi'",
    );
  }
  const operands = words.join(" ") === "" ? [] : splitArguments(words);
  const args = await readArguments(operands, tool?.inputSchema, shell);
  const missing = missingArguments(tool, args);
  if (tool !== undefined && missing.length > 0) {
    throw missingError(tool, args, missing);
  }
  return { name, arguments: args };
}

/** A JSON object may contain spaces; other arguments are words. */
function splitArguments(words: readonly string[]): readonly string[] {
  const text = words.join(" ");
  return text.startsWith("{") ? [text] : words;
}
