import { readFileSync } from "node:fs";

import type { Client } from "@tenon/mcp/client";
import { taskClient } from "@tenon/tasks/client";
import { StreamableClientTransport } from "@tenon/transports-streamable-http/client";
import { Activity, createElement, useEffect, type FunctionComponent } from "react";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import {
  useResource,
  useServer,
  useTools,
  type Loaded,
  type ServerConnection,
  type UseServerOptions,
} from "../src/index.ts";
import { useTask, type ToolTasks } from "../src/tasks.ts";
import { openKitchen, type Kitchen } from "./kitchen.ts";
import { openRoot, type BareRoot } from "./root.ts";
import { openDesk, type Desk } from "./setup.ts";

const info = { name: "page", version: "1.0.0" };
const prepare = (client: Client): void => client.use(taskClient());

let root: BareRoot;
beforeAll(async () => {
  root = await openRoot();
});
afterAll(() => root.close());

/** Renders a component, and unmounts the last one if it is another. */
function render<P extends object>(component: FunctionComponent<P>, props: P): void {
  root.render(createElement(component, props));
}

describe("with a desk", () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = await openDesk("https://page.example");
    return async () => {
      root.render(null);
      await desk[Symbol.asyncDispose]();
    };
  });

  test("an effect of an inner component reconnects with the options of the same render", async () => {
    let server: ServerConnection | undefined;
    function Inner({ token, reconnect }: { readonly token: string; readonly reconnect: () => void }): null {
      useEffect(() => {
        if (token !== "first") {
          reconnect();
        }
      }, [token, reconnect]);
      return null;
    }
    const Page: FunctionComponent<{ readonly token: string }> = ({ token }) => {
      server = useServer(desk.url, { info: { name: token, version: "1.0.0" } });
      return createElement(Inner, { token, reconnect: server.reconnect });
    };
    render(Page, { token: "first" });
    await expect.poll(() => server?.session?.client.info.name).toBe("first");
    render(Page, { token: "second" });
    await expect.poll(() => server?.status).toBe("ready");
    expect(server?.session?.client.info.name).toBe("second");
  });

  test("a transport gets the URL as it is, or a path resolved against the page", async () => {
    const urls: string[] = [];
    const transport = (url: string): StreamableClientTransport => {
      urls.push(url);
      return new StreamableClientTransport(desk.url);
    };
    const Page: FunctionComponent<{ readonly url: string }> = ({ url }) => {
      useServer(url, { info, transport });
      return null;
    };
    root.document.baseURI = "https://shop.example/tea/green";
    for (const url of ["/mcp", "mcp", "https://other.example", "urn:mcp", ""]) {
      render(Page, { url });
    }
    await expect
      .poll(() => urls)
      .toEqual([
        "https://shop.example/mcp",
        "https://shop.example/tea/mcp",
        "https://other.example",
        "urn:mcp",
        // A variable without a value does not mean the page.
        "",
      ]);
    delete root.document.baseURI;
  });

  test("a function of an earlier connection reloads in the current one", async () => {
    let tools: Loaded<unknown> | undefined;
    const Page: FunctionComponent = () => {
      tools = useTools(useServer(desk.url, { info }));
      return null;
    };
    render(Page, {});
    const reload = tools?.reload;
    await expect.poll(() => tools?.status).toBe("ready");
    const lists = (): number => desk.requests.filter((one) => one === "POST tools/list").length;
    const before = lists();
    reload?.();
    await expect.poll(lists).toBe(before + 1);
    expect(tools?.reload).toBe(reload);
  });

  test("a request that has failed is not sent again to the cache", async () => {
    let edition = 0;
    let isBroken = true;
    const cache = { ttlMs: 60_000, scope: "private" } as const;
    desk.server.addResource({ uri: "notes://3", name: "three", cache }, () => {
      if (isBroken) {
        throw new Error("The printer is broken.");
      }
      return `edition ${++edition}`;
    });
    let server: ServerConnection | undefined;
    let resource: ReturnType<typeof useResource> | undefined;
    const Page: FunctionComponent = () => {
      server = useServer(desk.url, { info });
      resource = useResource(server, "notes://3", { watch: false });
      return null;
    };
    render(Page, {});
    await expect.poll(() => resource?.status).toBe("failed");
    isBroken = false;
    await server?.session?.readResource({ uri: "notes://3" });
    resource?.reload();
    await expect.poll(() => resource?.value?.contents).toMatchObject([{ text: "edition 2" }]);
  });
});

describe("with a kitchen", () => {
  let kitchen: Kitchen;
  beforeEach(async () => {
    kitchen = await openKitchen();
    return async () => {
      root.render(null);
      await kitchen[Symbol.asyncDispose]();
    };
  });

  interface Seen {
    readonly server: ServerConnection;
    readonly task: ToolTasks;
  }
  let seen: Seen;
  const options: UseServerOptions = { info, prepare };
  /** Shows the tasks of a tool, and can be hidden. */
  const Page: FunctionComponent<{ url: string; tool: string; isHidden?: boolean }> = (props) => {
    const server = useServer(props.url, options);
    const mode = props.isHidden === true ? "hidden" : "visible";
    const children = createElement(Tasks, { server, tool: props.tool });
    return createElement(Activity, { mode, children });
  };
  function Tasks({ server, tool }: { readonly server: ServerConnection; readonly tool: string }): null {
    seen = { server, task: useTask(server, tool) };
    return null;
  }
  const until = (status: ToolTasks["status"]): Promise<void> =>
    expect.poll(() => seen.task.status).toBe(status);

  test("a task is unknown to a server with another URL, and continues at its own", async () => {
    await using other = await openKitchen();
    render(Page, { url: kitchen.url, tool: "bake" });
    await expect.poll(() => seen.server.status).toBe("ready");
    void seen.task.start();
    await expect.poll(() => seen.task.progress).toBeDefined();
    render(Page, { url: other.url, tool: "bake" });
    expect(seen.task).toMatchObject({ status: "idle", taskId: undefined, task: undefined });
    await expect.poll(() => seen.server.status).toBe("ready");
    const price = seen.server.session?.callTool({ name: "price" });
    expect(await price).toMatchObject({ content: [{ text: "12 €" }] });
    expect(other.requests.filter((method) => method.startsWith("tasks/"))).toEqual([]);
    expect(kitchen.runs[0]?.signal.aborted).toBe(false);
    root.render(null);
  });

  test("a call that is hidden before it is a task is cancelled, and no other one starts", async () => {
    const props = { url: kitchen.url, tool: "stir" };
    render(Page, props);
    await expect.poll(() => seen.server.status).toBe("ready");
    void seen.task.start();
    await expect.poll(() => kitchen.runs.length).toBe(1);
    render(Page, { ...props, isHidden: true });
    await expect.poll(() => kitchen.runs[0]?.signal.aborted).toBe(true);
    expect(await seen.task.start()).toBeUndefined();
    render(Page, props);
    await until("cancelled");
    expect(kitchen.runs.length).toBe(1);
    void seen.task.start();
    await expect.poll(() => kitchen.runs.length).toBe(2);
    kitchen.runs[1]?.gate.resolve();
    await until("done");
  });

  test("a function of an earlier connection starts and cancels in the current one", async () => {
    render(Page, { url: kitchen.url, tool: "bake" });
    const { start, cancel } = seen.task;
    await expect.poll(() => seen.server.status).toBe("ready");
    const result = start();
    await expect.poll(() => seen.task.taskId).toBeDefined();
    cancel();
    expect(await result).toBeUndefined();
    await until("cancelled");
  });

  test("a task that waits for a connection is neither forgotten nor seemingly cancelled", async () => {
    render(Page, { url: kitchen.url, tool: "bake" });
    await expect.poll(() => seen.server.status).toBe("ready");
    void seen.task.start();
    await expect.poll(() => seen.task.taskId).toBeDefined();
    const { taskId } = seen.task;
    await seen.server.session?.close();
    await until("waiting");
    seen.task.cancel();
    const error = (): string => String(seen.task.error);
    await expect.poll(error).toMatch("Cannot cancel the task of bake: the server is not connected.");
    expect(await seen.task.start()).toBeUndefined();
    await expect.poll(error).toMatch("Cannot call bake: the server is not connected.");
    expect(seen.task).toMatchObject({ status: "waiting", taskId });
    seen.server.reconnect();
    await until("running");
    expect(seen.task).toMatchObject({ taskId, error: undefined });
    seen.task.cancel();
    await until("cancelled");
  });
});

test.each(["index.js", "tasks.js"])("%s is for the client in frameworks with server components", (file) => {
  const built = readFileSync(new URL(`../dist/${file}`, import.meta.url), "utf8");
  expect(built).toMatch(/^"use client";\n/);
});
