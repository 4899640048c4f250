import { Server, ToolError } from "@tenon/sdk/server";

import type { ListedPage } from "../llms.ts";
import { search } from "./search.ts";

/** The MCP server of this documentation: the tools `search` and `page`. */
export function docsServer(pages: readonly ListedPage[]): Server {
  const byRoute = new Map(pages.map((page) => [page.route, page]));
  const server = new Server(
    { name: "tenon-docs", title: "Documentation of Tenon", version: "0.0.0" },
    { instructions: "Search the documentation of the MCP SDK Tenon, then read the pages that were found." },
  );
  server.addTool(
    {
      name: "search",
      description: "Finds pages of the documentation that contain all words of a query.",
      input: {
        type: "object",
        properties: {
          query: { type: "string", minLength: 1, maxLength: 200, description: "Words in English" },
          limit: { type: "integer", minimum: 1, maximum: 20, default: 5 },
        },
        required: ["query"],
        additionalProperties: false,
      },
      output: {
        type: "object",
        properties: {
          pages: {
            type: "array",
            items: {
              type: "object",
              properties: {
                path: { type: "string" },
                title: { type: "string" },
                excerpt: { type: "string" },
              },
              required: ["path", "title", "excerpt"],
            },
          },
        },
        required: ["pages"],
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ query, limit }) => ({ pages: [...search(pages, query, limit ?? 5)] }),
  );
  server.addTool(
    {
      name: "page",
      description: "Returns a page of the documentation as Markdown.",
      input: {
        type: "object",
        properties: { path: { type: "string", maxLength: 200, description: "A path that search returned" } },
        required: ["path"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ path }) => {
      const page = byRoute.get(path.replace(/^\//, "").replace(/\.md$/, ""));
      if (page === undefined) {
        throw new ToolError(`There is no page ${JSON.stringify(path)}. The tool search returns paths.`);
      }
      return page.markdown;
    },
  );
  return server;
}
