import {
  fromAnthropicArguments,
  toAnthropicTool,
  toAnthropicToolResult,
  toOpenAiChatMessages,
  toOpenAiChatTool,
  Manager,
  type AnthropicTool,
  type AnthropicToolResult,
  type ApprovalRequest,
  type ManagerOptions,
  type OpenAiChatMessage,
  type OpenAiChatTool,
} from "@tenon/sdk/host";
import { loadConfig, nodeTransports, selectServers } from "@tenon/sdk/host/node";

/** The host of docs/host.md. */
export async function useServers(file: string, print: (line: unknown) => void): Promise<void> {
  // #region host
  const config = await loadConfig(file); // a file of Claude, VS Code, Cursor, Codex …
  for (const [server, error] of config.errors) {
    print(`${server} is not used: ${error.message}`); // for example a variable without a value
  }
  await using manager = new Manager({ ...selectServers(config), transports: nodeTransports() });

  const { ready, failed, pending } = await manager.connectAll({ waitMs: 60_000 });
  print(`ready: ${ready.join(", ")}; still connecting: ${pending.length}`);
  for (const [server, error] of failed) {
    print(`${server}: ${String(error)}`);
  }
  for (const { name, tool } of await manager.tools()) {
    print(`${name}: ${tool.description}`);
  }
  const { content } = await manager.callToolByName("mcp__greeter__greet", { name: "you" });
  print(content);
  // #endregion host

  // #region snapshot
  const show = (): void => {
    for (const [name, { state, error, serverInfo }] of manager.snapshot) {
      print(`${name} is ${state} (${error ?? serverInfo?.version ?? "not connected"})`);
    }
  };
  const stop = manager.subscribe(show); // called after every change
  // #endregion snapshot
  show();
  stop();
}

// #region approve
/** Give it to a manager: `new Manager({ policy: { approve } })`. */
async function approve({ server, tool, definition, arguments: args, signal }: ApprovalRequest) {
  if (definition?.annotations?.readOnlyHint === true && server === "files") {
    return true;
  }
  const isAllowed = await askUser(`${server} wants to run ${tool} with ${JSON.stringify(args)}`, signal);
  return { approved: isAllowed, reason: "the user said no" };
}
// #endregion approve

// #region asking
/** Lets servers ask the user, through functions of your program that show a form and a question. */
export function createAskingHost(servers: ManagerOptions["servers"]): Manager {
  return new Manager({
    servers,
    transports: nodeTransports(),
    handlers: {
      elicitation: {
        form: async ({ message, requestedSchema }, { server, signal }) => {
          const content = await showForm(`${server}: ${message}`, requestedSchema, signal);
          return content === undefined ? { action: "decline" } : { action: "accept", content };
        },
        url: async ({ url }, { server, signal }) =>
          (await askUser(`Open ${url} for ${server}?`, signal))
            ? { action: "accept" }
            : { action: "decline" },
      },
      roots: () => [{ uri: "file:///home/you/project", name: "project" }],
    },
    // At most 10 requests to each server in any second; further ones wait.
    policy: { rateLimit: { requests: 10, perMs: 1000 } },
  });
}
// #endregion asking

/** What the user of the guide's host enters. */
async function showForm(
  title: string,
  schema: { readonly properties: object },
  signal: AbortSignal,
): Promise<Record<string, string> | undefined> {
  signal.throwIfAborted();
  answers.push(title);
  return Object.fromEntries(Object.keys(schema.properties).map((name) => [name, "blue"]));
}

/** What the user of the guide's host answers. */
export const answers: string[] = [];
export { approve };

async function askUser(question: string, signal: AbortSignal): Promise<boolean> {
  signal.throwIfAborted();
  answers.push(question);
  return false;
}

// #region agent
type Block =
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: Record<string, unknown> };
type Message = { role: "user" | "assistant"; content: (Block | AnthropicToolResult)[] };
type Model = (messages: readonly Message[], tools: readonly AnthropicTool[]) => Promise<Block[]>;

/** Lets a model call tools until it has an answer, for at most ten turns. */
export async function runAgent(manager: Manager, model: Model, prompt: string): Promise<string> {
  const messages: Message[] = [{ role: "user", content: [{ type: "text", text: prompt }] }];
  for (let turn = 0; turn < 10; turn++) {
    const known = await manager.tools();
    const content = await model(messages, known.map(toAnthropicTool));
    messages.push({ role: "assistant", content });
    const calls = content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) {
      return content.map((block) => (block.type === "text" ? block.text : "")).join("");
    }
    const results = calls.map(async ({ id, name, input }) => {
      try {
        const schema = known.find((tool) => tool.name === name)?.tool.inputSchema;
        const args = schema === undefined ? input : fromAnthropicArguments(schema, input);
        return toAnthropicToolResult(id, await manager.callToolByName(name, args));
      } catch (error) {
        // The model reads the reason and may try something else: DENIED, TOOL_CHANGED, TIMEOUT …
        const text = error instanceof Error ? error.message : String(error);
        return toAnthropicToolResult(id, { content: [{ type: "text", text }], isError: true });
      }
    });
    messages.push({ role: "user", content: await Promise.all(results) });
  }
  throw new Error("The model still calls tools after ten turns.");
}
// #endregion agent

// #region openai
type ToolCall = { type: "function"; id: string; function: { name: string; arguments: string } };

/** Runs the tools that a model of OpenAI has called, and returns the messages for its next turn. */
export async function callTools(manager: Manager, calls: readonly ToolCall[]): Promise<OpenAiChatMessage[]> {
  const answers = calls.map(async ({ id, function: { name, arguments: input } }) => {
    try {
      const args = JSON.parse(input) as Record<string, unknown>;
      return toOpenAiChatMessages(id, await manager.callToolByName(name, args));
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return toOpenAiChatMessages(id, { content: [{ type: "text", text }], isError: true });
    }
  });
  const messages = (await Promise.all(answers)).flat();
  // The API expects the messages of all tools first. Images follow as messages of the user.
  return [
    ...messages.filter(({ role }) => role === "tool"),
    ...messages.filter(({ role }) => role === "user"),
  ];
}

/** The tools of all servers, for the option `tools` of `client.chat.completions.create`. */
export const toolsFor = async (manager: Manager): Promise<OpenAiChatTool[]> =>
  (await manager.tools()).map(toOpenAiChatTool);
// #endregion openai
