/** @jsxImportSource react */
/** @jsxRuntime automatic */
// #region redirect
import { authorizationCode, browserStore, createOAuth } from "@tenon/auth/client";
import { useLogin, useServer, useTools } from "@tenon/react";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import type { ReactElement } from "react";

const { endpoint = "https://mcp.example.com/mcp" } = document.body.dataset;
const info = { name: "account", version: "1.0.0" };
const redirectUri = `${location.origin}${location.pathname}`; // this page
const grant = authorizationCode({ redirectUri });
const oauth = createOAuth({ server: endpoint, grant, store: browserStore(sessionStorage) });
const transport = (url: string): StreamableClientTransport =>
  new StreamableClientTransport(url, { auth: oauth });

export function RedirectedAccount(): ReactElement {
  const server = useServer(endpoint, { info, transport });
  const tools = useTools(server);
  const login = useLogin(oauth, server.reconnect, { redirect: true });
  const isLoggedOut = server.status === "failed" && login.status !== "waiting";
  return (
    <main>
      {isLoggedOut && <button onClick={() => void login.start()}>Log in</button>}
      {tools.value?.map(({ name }) => (
        <p key={name}>{name}</p>
      ))}
    </main>
  );
}
// #endregion redirect
