// A client that logs in. Start it with: node dist/client.js <URL of the server>
import { authorizationCode, createOAuth, isAuthError } from "@tenon/sdk/auth/client";
import { fileStore, loopbackReceiver, openBrowser } from "@tenon/sdk/auth/node";
import { Client } from "@tenon/sdk/client";
import { StreamableClientTransport } from "@tenon/sdk/http";

// #region program
const [url = "http://127.0.0.1:3000/mcp"] = process.argv.slice(2);
const auth = createOAuth({
  server: url,
  grant: authorizationCode({ receiver: loopbackReceiver(), open: openBrowser }),
  client: { metadata: { name: "Notes client" } },
  store: fileStore(),
});

/**
 * Runs a request. If the server requires a login or a further scope, the user is asked, and the
 * request runs again.
 */
async function authorized<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isAuthError(error, "NEEDS_USER")) {
      throw error;
    }
    await auth.login();
    return run();
  }
}

const client = new Client({ name: "notes-client", version: "1.0.0" });
const session = await authorized(() => client.connect(new StreamableClientTransport(url, { auth })));
const { content } = await authorized(() => session.callTool({ name: "who_am_i" }));
console.log(content);
await session.close();
// #endregion program
