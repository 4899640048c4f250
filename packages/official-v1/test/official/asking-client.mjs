// A client of the official SDK for the scenarios of modern clients, which the official example client does not have. conformance.mjs runs it with the setting for modern HTTP.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { configure } from "@modelcontextprotocol/sdk/tenon.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

configure({ modernHttp: true });
const scenario = process.env.MCP_CONFORMANCE_SCENARIO;
const { toolCalls } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}");
const client = new Client(
  { name: "asked", version: "1.0.0" },
  { capabilities: { sampling: {}, roots: {}, elicitation: {} } },
);
client.setRequestHandler(ElicitRequestSchema, () => ({ action: "accept", content: { confirmed: true } }));
client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [] }));
client.setRequestHandler(CreateMessageRequestSchema, () => ({
  role: "assistant",
  model: "none",
  content: { type: "text", text: "Hello" },
}));
await client.connect(new StreamableHTTPClientTransport(new URL(process.argv.at(-1))));

const call = (name, args = {}) =>
  client.callTool({ name, arguments: args }).catch((error) => console.error(`${name}: ${error.message}`));
const { tools } = await client.listTools();
if (scenario === "tools_call") {
  await call("add_numbers", { a: 5, b: 3 });
} else if (scenario === "sep-2322-client-request-state") {
  for (const part of ["echo_state", "no_state", "unrelated", "no_result_type"]) {
    await call(`test_mrtr_${part}`);
  }
} else if (scenario === "http-custom-headers") {
  for (const { name, arguments: args } of toolCalls) {
    await call(name, args);
  }
} else if (scenario === "http-standard-headers" || scenario === "http-invalid-tool-headers") {
  for (const { name } of tools) {
    await call(name, scenario === "http-standard-headers" ? {} : { region: "us-east-1" });
  }
} else if (scenario === "json-schema-2020-12-preservation") {
  const { inputSchema } = tools.find(({ name }) => name === "json_schema_2020_12_tool");
  await call("json_schema_echo", { schema: inputSchema });
}
if (scenario === "http-standard-headers") {
  const { resources } = await client.listResources();
  for (const { uri } of resources) {
    await client.readResource({ uri });
  }
  const { prompts } = await client.listPrompts();
  for (const { name } of prompts) {
    await client.getPrompt({ name });
  }
}
await client.close();
