// The official example server without sessions, for modern requests, and with the tools of the suite that request input. conformance.mjs puts it beside the official program, which it has cut in front of its own HTTP server.
import { localhostHostValidation } from "@modelcontextprotocol/sdk/server/middleware/hostHeaderValidation.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";

/** What conformance.mjs leaves of the example program. */
const { createMcpServer, express } = await import(new URL("example.js", import.meta.url).href);

const form = (name, type) => ({ type: "object", properties: { [name]: { type } }, required: [name] });
const question = (text) => ({
  messages: [{ role: "user", content: { type: "text", text } }],
  maxTokens: 100,
});

function makeServer() {
  const mcp = createMcpServer();
  const { server } = mcp;
  const ask = (message, name, type = "string") =>
    server.elicitInput({ message, requestedSchema: form(name, type) });
  const add = (name, handler) =>
    mcp.registerTool(`test_input_required_result_${name}`, { description: name }, async () => ({
      content: [{ type: "text", text: JSON.stringify(await handler()) }],
    }));
  add("elicitation", () => ask("What is your name?", "name"));
  add("sampling", () => server.createMessage(question("What is the capital of France?")));
  add("list_roots", () => server.listRoots());
  add("request_state", async () => ["state-ok", await ask("Go on?", "ok", "boolean")]);
  add("multiple_inputs", () =>
    Promise.all([
      ask("What is your name?", "name"),
      server.createMessage(question("Write a greeting")),
      server.listRoots(),
    ]),
  );
  add("multi_round", async () => [
    await ask("What is your name?", "name"),
    await ask("What is your favourite colour?", "color"),
  ]);
  add("tampered_state", () => ask("Go on?", "ok", "boolean"));
  add("capabilities", () =>
    server.getClientCapabilities()?.sampling === undefined
      ? ask("Who are you?", "name")
      : server.createMessage(question("Who are you?")),
  );
  mcp.registerTool("test_missing_capability", { description: "Needs sampling" }, async () => ({
    content: [{ type: "text", text: JSON.stringify(await server.createMessage(question("Go on?"))) }],
  }));
  mcp.registerPrompt("test_input_required_result_prompt", { description: "Asks for context" }, async () => {
    const { content } = await ask("What is it about?", "context");
    return { messages: [{ role: "user", content: { type: "text", text: JSON.stringify(content) } }] };
  });
  return mcp;
}

if (process.env.PORT === undefined) {
  await makeServer().connect(new StdioServerTransport());
} else {
  const app = express();
  app.use(express.json());
  app.use(localhostHostValidation());
  const serve = async (request, response) => {
    const mcp = makeServer();
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
    response.on("close", () => void mcp.close());
    await mcp.connect(transport);
    await transport.handleRequest(request, response, request.body);
  };
  app.post("/mcp", (request, response) => void serve(request, response));
  app.listen(Number(process.env.PORT), () => console.log("ready"));
}
