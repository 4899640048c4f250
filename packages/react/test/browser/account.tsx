/** @jsxImportSource react */
/** @jsxRuntime automatic */
// #region login
import { authorizationCode, createOAuth } from "@tenon/auth/client";
import { useLogin, useServer, useTools } from "@tenon/react";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import type { ReactElement } from "react";

const { endpoint = "https://mcp.example.com/mcp" } = document.body.dataset;
const info = { name: "account", version: "1.0.0" };
const redirectUri = `${location.origin}/callback`; // its script calls reportLogin()
const oauth = createOAuth({ server: endpoint, grant: authorizationCode({ redirectUri }) });
const transport = (url: string): StreamableClientTransport =>
  new StreamableClientTransport(url, { auth: oauth });

export function Account(): ReactElement {
  const server = useServer(endpoint, { info, transport });
  const tools = useTools(server);
  const login = useLogin(oauth, server.reconnect);
  if (server.status === "failed") {
    return (
      <main>
        <p>{String(login.error ?? server.error)}</p>
        {login.status === "waiting" ? (
          <button onClick={login.cancel}>Cancel</button>
        ) : (
          <button onClick={() => void login.start()}>Log in</button>
        )}
      </main>
    );
  }
  return (
    <main>
      {tools.value?.map(({ name }) => (
        <p key={name}>{name}</p>
      ))}
    </main>
  );
}
// #endregion login
