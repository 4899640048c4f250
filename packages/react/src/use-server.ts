import { checkOptionNames } from "@tenon/base";
import { useInsertionEffect, useMemo, useSyncExternalStore } from "react";

import { createServerStore, type ServerConnection, type UseServerOptions } from "./server-store.ts";

/**
 * Connects to a server while the component is mounted. Pass the result to the other hooks.
 *
 * @example const server = useServer("https://mcp.example.com/mcp", { info: { name: "shop", version: "1.0.0" } });
 *
 * @param url - The endpoint. A path such as `/mcp` belongs to the origin of the page. If the URL
 *   changes, the connection is closed, and another is opened. With `undefined` there is no
 *   connection.
 * @throws `TypeError` for options that do not exist.
 */
export function useServer(url: string | URL | undefined, options: UseServerOptions): ServerConnection {
  checkOptionNames(
    "useServer",
    options,
    "info:object transport:function inputs:array client:object prepare:function",
  );
  const href = url?.toString();
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- later options are set below
  const store = useMemo(() => createServerStore(href, options), [href]);
  // Before all other effects, which may reconnect, for example in a component inside this one.
  useInsertionEffect(() => store.setOptions(options));
  return useSyncExternalStore(store.subscribe, store.snapshot, store.snapshot);
}
