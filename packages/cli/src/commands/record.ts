import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";

import { parseCassette, recordTransport } from "@tenon/testing/cassette";

import type { Invocation } from "../command/invocation.ts";
import { usageError } from "../exit.ts";
import { messageOf } from "../output/escape.ts";
import { readArguments } from "../session/arguments.ts";
import { fetchLists, listNames } from "../session/definitions.ts";
import { openTarget } from "../session/open.ts";
import { redactionOf } from "../session/redaction.ts";
import { resolveTarget } from "../target/resolve.ts";

/** Records a conversation: all lists, and the given reads and calls. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, shell } = invocation;
  const out = flags.text("out");
  if (out === undefined) {
    throw usageError("record needs a file.", "--out recording.jsonl");
  }
  const target = await resolveTarget(invocation);
  const lines: string[] = [];
  const redaction = redactionOf(flags);
  const calls = await Promise.all(
    flags.list("call").map(async (call) => {
      const [name = "", ...words] = call.split(/\s+(?=\S)/);
      return {
        name,
        arguments: await readArguments(words.join(" ") === "" ? [] : splitArguments(words), undefined, shell),
      };
    }),
  );
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
    await fetchLists(session, listNames, signal);
    for (const uri of flags.list("read")) {
      await session
        .readResource({ uri }, { signal })
        .catch((error: unknown) => printer.warn(`${uri}: ${messageOf(error)}`));
    }
    for (const call of calls) {
      await session
        .callTool(call, { signal })
        .catch((error: unknown) => printer.warn(`${call.name}: ${messageOf(error)}`));
    }
  }
  const path = resolve(shell.cwd, out);
  await writeFile(path, lines.join(""), { mode: 0o600 });
  const { entries } = parseCassette(lines.join(""));
  printer.result({ file: path, entries: entries.length }, () => `${path}: ${entries.length} entries`);
}

/** A JSON object may contain spaces; other arguments are words. */
function splitArguments(words: readonly string[]): readonly string[] {
  const text = words.join(" ");
  return text.startsWith("{") ? [text] : words;
}
