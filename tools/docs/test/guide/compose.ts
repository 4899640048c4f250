import { compose, type ComposedSource } from "@tenon/compose";
import { openapi } from "@tenon/openapi";
import type { Manager } from "@tenon/sdk/host";
import { toolsFor } from "@tenon/sdk/host/search";
import { createStreamableHandler, StreamableClientTransport } from "@tenon/sdk/http";
import { listen, type Listening } from "@tenon/sdk/node";
import type { Server } from "@tenon/sdk/server";
import { CommandTransport } from "@tenon/sdk/stdio";

export function mixed(url: string, onError: (error: unknown, source: string) => void): Server {
  // #region mixed
  const server = compose(
    {
      notes: () => new CommandTransport({ command: "notes-server" }),
      clock: () => new StreamableClientTransport(url),
      weather: openapi("weather.yaml", { server: "https://weather.example/api" }),
    },
    { onError },
  );
  // #endregion mixed
  return server;
}

export function transformed(github: ComposedSource, calendar: ComposedSource): Server {
  // #region transforms
  const server = compose(
    { github, calendar },
    {
      transforms: [
        {
          source: "github",
          tool: "create_issue",
          name: "report_bug",
          description: "Reports a bug in our product",
          arguments: { repo: { value: "acme/product" }, title: { name: "summary" } },
        },
        (tool) => (tool.annotations?.destructiveHint === true ? { hide: true } : undefined),
      ],
    },
  );
  // #endregion transforms
  return server;
}

interface User {
  readonly principal: string;
  readonly scopes?: readonly string[];
}

export async function forUsers(
  sources: Readonly<Record<string, ComposedSource>>,
  users: ReadonlyMap<string, User>,
): Promise<Listening> {
  // #region users
  const gateway = compose(sources, {
    maySee: async ({ auth }, _name, definition) =>
      auth?.scopes?.includes("write") === true || (await definition())?.annotations?.readOnlyHint === true,
  });
  const handler = createStreamableHandler({
    getServer: () => gateway,
    authenticate: ({ headers }) => users.get(headers.get("authorization") ?? ""),
  });
  const listening = await listen(handler, { port: 0 });
  // #endregion users
  return listening;
}

export function searching(sources: Readonly<Record<string, ComposedSource>>): Server {
  // #region search
  const server = compose(sources, {
    search: true,
    maySee: ({ auth }, tool) => !tool.includes("admin") || auth?.scopes?.includes("admin") === true,
  });
  // #endregion search
  return server;
}

type Handle = (name: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>;

export async function fitted(manager: Manager, print: (value: unknown) => void): Promise<Handle> {
  // #region fit
  const { tokens } = await manager.cost();
  const { tools, fit, call } = await toolsFor(manager, { vendor: "gemini", budget: 10_000 });
  print(`${tokens} tokens, ${fit}: ${tools.length} definitions`);
  const handle: Handle = (name, args) => call(name, args); // what the model has called
  // #endregion fit
  return handle;
}
