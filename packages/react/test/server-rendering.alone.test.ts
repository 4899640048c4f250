import { createServer } from "node:http";

import { originOnFreePort } from "@tenon/test-support/http";
import { createElement, type ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { expect, test } from "vitest";

import { useCall, useResource, useServer, useTools, type UseServerOptions } from "../src/index.ts";

const info = { name: "shop", version: "1.0.0" };

function Page({ url, options }: { readonly url: string; readonly options: UseServerOptions }): ReactNode {
  const server = useServer(url, options);
  const tools = useTools(server);
  const call = useCall(server, "order");
  return [server.status, tools.status, call.status].join(", ");
}

test("components rendered on a server are as before the connection, and send nothing", async () => {
  let requests = 0;
  const http = createServer((_, response) => {
    requests++;
    response.end();
  });
  const url = await originOnFreePort(http);
  expect(renderToString(createElement(Page, { url, options: { info } }))).toBe("connecting, waiting, idle");
  await new Promise((resolve) => http.close(resolve));
  expect(requests).toBe(0);
});

test("an option that does not exist is refused", () => {
  const options = { info, input: ["form"] };
  const render = (): string =>
    renderToString(createElement(Page, { url: "https://mcp.example.com", options }));
  expect(render).toThrow('useServer has no option "input". Did you mean inputs?');
  const Watching = (): null => {
    const wrong: object = { watched: false };
    useResource(useServer("https://mcp.example.com", { info }), "notes://1", wrong);
    return null;
  };
  expect(() => renderToString(createElement(Watching))).toThrow('useResource has no option "watched".');
});
