import { isRpcError } from "@tenon/jsonrpc2/core";

import { messageOf, type CheckContext } from "./context.ts";

const stranger = "no-such-name-in-any-server";

/** Sends requests for names that the server does not have. */
export async function checkStrangers({ session, findings, timeoutMs, signal }: CheckContext): Promise<void> {
  const { tools, prompts, resources } = session.serverCapabilities;
  const options = { timeoutMs, signal };
  const attempts: readonly (readonly [subject: string, offered: unknown, ask: () => Promise<unknown>])[] = [
    ["tools/call", tools, () => session.callTool({ name: stranger }, options)],
    ["prompts/get", prompts, () => session.getPrompt({ name: stranger }, options)],
    ["resources/read", resources, () => session.readResource({ uri: `test://${stranger}` }, options)],
  ];
  for (const [subject, offered, ask] of attempts) {
    if (offered === undefined) {
      continue;
    }
    try {
      const result = await ask();
      const isRefused =
        typeof result === "object" && result !== null && "isError" in result && result.isError === true;
      if (!isRefused) {
        findings.add(
          "refuses-unknown-names",
          subject,
          "Expected an error for an unknown name; a result came.",
        );
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!isRpcError(error)) {
        const message = `Expected an error response for an unknown name; got: ${messageOf(error)}`;
        findings.add("refuses-unknown-names", subject, message);
      }
    }
  }
}
