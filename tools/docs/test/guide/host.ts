import { Manager } from "@tenon/sdk/host";
import { loadConfig, nodeTransports, selectServers } from "@tenon/sdk/host/node";

/** The host of docs/host.md. */
export async function useServers(file: string, print: (line: unknown) => void): Promise<void> {
  // #region host
  const config = await loadConfig(file); // of Claude, VS Code, Cursor, Codex …
  await using manager = new Manager({ ...selectServers(config), transports: nodeTransports() });

  const { failed } = await manager.connectAll();
  for (const [server, error] of failed) {
    print(`${server}: ${String(error)}`);
  }
  for (const { name, tool } of await manager.tools()) {
    print(`${name}: ${tool.description}`);
  }
  const { content } = await manager.callToolByName("mcp__greeter__greet", { name: "you" });
  print(content);
  // #endregion host
}
