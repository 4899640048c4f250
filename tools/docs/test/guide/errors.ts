import {
  isLocalError,
  isMcpError,
  isResourceNotFound,
  isRpcError,
  isToolError,
  type ClientSession,
} from "@tenon/sdk/client";

/** Says what went wrong with a piece of work. */
export async function explained(work: () => Promise<unknown>): Promise<string> {
  // #region catch
  try {
    await work();
    return "fine";
  } catch (error) {
    if (isToolError(error)) {
      return `the tool failed: ${error.message}`; // typed calls
    }
    if (isResourceNotFound(error)) {
      return "resource not found"; // in any protocol version
    }
    if (isRpcError(error)) {
      return `the server returned the error ${error.code}: ${error.message}`;
    }
    if (isMcpError(error)) {
      return `cannot be sent or used: ${error.code}`; // NOT_IN_REVISION, CAPABILITY_MISSING …
    }
    if (isLocalError(error)) {
      return `local error: ${error.code}`; // TIMEOUT, CONNECTION_CLOSED …
    }
    throw error; // any other error: the reason of a signal, a bug
  }
  // #endregion catch
}

/** A few things that go wrong. */
export const mistakes: Readonly<Record<string, (session: ClientSession) => Promise<unknown>>> = {
  "the server returned the error -32602: Unknown tool: nothing": (session) =>
    session.callTool({ name: "nothing" }),
  "resource not found": (session) => session.readResource({ uri: "no:such" }),
  "the tool failed: not today": (session) => session.callTool({ name: "fail", input: undefined }, {}),
  "local error: CONNECTION_CLOSED": async (session) => {
    await session.close();
    await session.callTool({ name: "fail" });
  },
};
