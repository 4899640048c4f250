import type { Invocation } from "../command/invocation.ts";

/** After this time, a note names what the command waits for, in milliseconds. */
const quietMs = 2000;

/**
 * Closes a provider of credentials. If its tokens are being renewed, the response is waited for: it
 * may be the only copy of the next tokens. After a while a note names the server.
 */
export async function closeProvider(
  provider: { close(): Promise<void> },
  { printer }: Pick<Invocation, "printer">,
  label: string,
): Promise<void> {
  const note = `Waiting for the authorization server of ${label}: its response contains the new tokens.`;
  const timer = setTimeout(() => printer.note(note), quietMs);
  try {
    await provider.close();
  } finally {
    clearTimeout(timer);
  }
}
