import { Client, isResourceNotFound, type ClientSession } from "@tenon/mcp";

export function createReader(print: (line: string) => void, account: () => string): Client {
  // #region client
  const client = new Client(
    { name: "reader", version: "1.0.0" },
    {
      onToolsChanged: async (session) => print(`${(await session.listTools()).tools.length} tools`),
      onPromptsChanged: () => print("other prompts"),
      onLog: ({ level, data }) => print(`${level}: ${JSON.stringify(data)}`),
      logLevel: "warning",
      cache: { maxEntries: 1000, maxTtlMs: 600_000 },
      authorizationContext: account,
    },
  );
  // #endregion client
  return client;
}

export async function usePrompts(session: ClientSession): Promise<string[]> {
  // #region use-prompts
  const texts: string[] = [];
  for await (const { name, arguments: args = [] } of session.prompts()) {
    texts.push(`${name}(${args.map((argument) => argument.name).join(", ")})`);
  }
  const { messages } = await session.getPrompt({ name: "plan", arguments: { beams: "2" } });
  // #endregion use-prompts
  texts.push(JSON.stringify(messages));
  return texts;
}

export async function readNotes(session: ClientSession): Promise<string[]> {
  // #region read
  const found: string[] = [];
  for (const uri of ["notes://index", "notes://1/body", "notes://9/body"]) {
    try {
      const { contents } = await session.readResource({ uri });
      found.push(...contents.map((piece) => ("text" in piece ? piece.text : piece.blob)));
    } catch (error) {
      if (!isResourceNotFound(error)) {
        throw error;
      }
      found.push(`there is no ${uri}`);
    }
  }
  // #endregion read
  return found;
}

export async function suggest(session: ClientSession): Promise<string[]> {
  // #region complete
  const { completion } = await session.complete({
    ref: { type: "ref/prompt", name: "compare" },
    argument: { name: "joint", value: "dado" },
    context: { arguments: { lang: "German" } },
  });
  // #endregion complete
  return completion.values;
}

export async function pagesOf(session: ClientSession): Promise<number> {
  // #region pages
  let pages = 0;
  let cursor: string | undefined;
  do {
    const page = await session.listResources(cursor === undefined ? {} : { cursor });
    pages++;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  // #endregion pages
  return pages;
}

export async function follow(session: ClientSession, onReady: () => void, count: number): Promise<string[]> {
  const seen: string[] = [];
  const uri = "notes://1/body";
  // #region watch
  const watch = session.watch(uri);
  await watch.ready;
  onReady();
  for await (const update of watch) {
    const { contents } = await session.readResource({ uri: update.uri });
    seen.push(...contents.map((piece) => ("text" in piece ? piece.text : "")));
    if (seen.length === count) {
      break;
    }
  }
  // #endregion watch
  return seen;
}

export async function listenTo(session: ClientSession, seen: string[]): Promise<readonly string[]> {
  // #region listen
  await using subscription = await session.listen(
    { toolsListChanged: true, resourceSubscriptions: ["notes://1/body"] },
    { onChange: ({ method }) => seen.push(method) },
  );
  const watched = subscription.honoured.resourceSubscriptions ?? [];
  // #endregion listen
  return watched;
}

export async function withProgress(session: ClientSession): Promise<string[]> {
  // #region on-progress
  const lines: string[] = [];
  await session.callTool(
    { name: "index" },
    {
      onProgress: ({ progress, total, message }) =>
        lines.push(`${progress}/${total ?? "?"} ${message ?? ""}`),
      timeoutMs: 5000,
      totalTimeoutMs: 60_000,
    },
  );
  // #endregion on-progress
  return lines;
}

export async function readAnew(session: ClientSession): Promise<number> {
  // #region fresh
  const { tools } = await session.listTools({}, { fresh: true });
  // #endregion fresh
  return tools.length;
}
