/** @jsxImportSource react */
/** @jsxRuntime automatic */
// #region shared
import { useServer, useTools, type ServerConnection } from "@tenon/react";
import { createContext, useContext, type ReactElement, type ReactNode } from "react";

const info = { name: "shop", version: "1.0.0" };
const Connection = createContext<ServerConnection | undefined>(undefined);

export function ShopProvider({ children }: { readonly children: ReactNode }): ReactElement {
  const server = useServer("/mcp", { info });
  return <Connection.Provider value={server}>{children}</Connection.Provider>;
}

export function useShop(): ServerConnection {
  const server = useContext(Connection);
  if (server === undefined) {
    throw new Error("useShop needs a ShopProvider above it.");
  }
  return server;
}

export function Menu(): ReactElement {
  const server = useShop();
  const tools = useTools(server);
  return <p>{tools.value?.map(({ name }) => name).join(", ") ?? `The shop is ${server.status}.`}</p>;
}
// #endregion shared
