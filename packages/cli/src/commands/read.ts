import { isResourceNotFound } from "@tenon/mcp/client";

import type { Invocation } from "../command/invocation.ts";
import { CliError, usageError } from "../exit.ts";
import { contentBytes, resourceText } from "../output/content.ts";
import { inSession } from "../session/open.ts";
import { showProgress } from "../session/progress.ts";

/** Reads a resource and prints its contents. */
export async function run(invocation: Invocation): Promise<undefined> {
  const { flags, printer, shell } = invocation;
  if (flags.has("raw") && (printer.mode !== "text" || shell.stdout.isTTY === true)) {
    throw usageError(
      "--raw writes bytes as the server sent them.",
      "send them to a file or a pipe, without --json",
    );
  }
  let uri = invocation.operand("uri");
  const result = await inSession(invocation, async (opened) => {
    // The user chooses once, even if the server then requires a further scope.
    uri ??= await (await import("../session/choose-uri.ts")).chooseUri(opened);
    const { session, signal } = opened;
    return session.readResource({ uri }, { signal, onProgress: showProgress(printer, uri) });
  }).catch((error: unknown) => {
    throw isResourceNotFound(error)
      ? new CliError("protocol", `No resource ${uri} exists on the server.`, {
          hint: "tenon resources <target> lists the resources",
          cause: error,
        })
      : error;
  });
  if (flags.has("raw")) {
    result.contents.forEach((contents) => printer.raw(contentBytes(contents)));
  } else {
    printer.result(result, () => result.contents.map((contents) => resourceText(contents)).join("\n"));
  }
}
