// #region client
import { Client } from "@tenon/sdk/client";
import { CommandTransport } from "@tenon/sdk/stdio";

const client = new Client({ name: "quickstart", version: "1.0.0" });
const session = await client.connect(
  new CommandTransport({
    command: process.execPath,
    args: [...process.execArgv, process.argv[2] ?? "server.js"],
  }),
);

for await (const tool of session.tools()) {
  console.log(tool.name);
}
const result = await session.callTool({ name: "greet", arguments: { name: "you" } });
console.log(result.content);

await session.close();
// #endregion client
