import type { Exchange, HeaderFields } from "@tenon/http/server";

const page = `<!doctype html>
<html lang="en">
<title>MCP endpoint</title>
<body style="font: 1em system-ui; max-width: 40rem; margin: 4rem auto">
<h1>This is an MCP endpoint</h1>
<p>It serves programs that speak the <a href="https://modelcontextprotocol.io">Model Context Protocol</a>. To use it, add the address of this page to an MCP client.</p>
`;

/**
 * Responds to a person who opens the endpoint in a browser: clients of the protocol accept JSON or
 * event streams, never HTML. The status is the same as for other GET requests without a session.
 *
 * @returns Whether the request came from a browser and a response was sent.
 */
export function answerBrowser(exchange: Exchange, headers: HeaderFields): boolean {
  if (exchange.header("accept")?.includes("text/html") !== true) {
    return false;
  }
  const fields = { ...headers, "content-type": "text/html; charset=utf-8", allow: "POST, OPTIONS" };
  exchange.respond(405, fields, page);
  return true;
}
