import { createStatelessHandler } from "@tenon/sdk/http";
import { Server } from "@tenon/sdk/server";

const server = new Server({ name: "greeter", version: "1.0.0" });
server.addTool({ name: "greet" }, () => "Hello!");

// #region lambda
const handler = createStatelessHandler({ getServer: () => server, allowedHosts: ["mcp.example.com"] });

/** The properties of an event of a function URL that are used. */
interface FunctionUrlEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded: boolean;
  readonly requestContext: { readonly domainName: string; readonly http: { readonly method: string } };
}

export async function lambda(event: FunctionUrlEvent): Promise<object> {
  const { rawPath, rawQueryString, headers, body, isBase64Encoded, requestContext } = event;
  const url = `https://${requestContext.domainName}${rawPath}?${rawQueryString}`;
  const response = await handler.fetch(
    new Request(url, {
      method: requestContext.http.method,
      headers,
      body: body === undefined ? null : Buffer.from(body, isBase64Encoded ? "base64" : "utf8"),
    }),
  );
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}
// #endregion lambda
