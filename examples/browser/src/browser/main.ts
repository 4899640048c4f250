// A page that looks up prices. `data-endpoint` and `data-token` of its body configure it.
// #region connect
import { Client } from "@tenon/sdk/client";
import { isHttpError, StreamableClientTransport } from "@tenon/sdk/http";

const { endpoint = "http://localhost:3000/mcp", token = "" } = document.body.dataset;
const output = document.body.appendChild(document.createElement("output"));
const client = new Client({ name: "page", version: "1.0.0" });

try {
  const headers = { authorization: `Bearer ${token}` };
  const session = await client.connect(new StreamableClientTransport(endpoint, { headers }));
  const { structuredContent } = await session.callTool({ name: "price", arguments: { item: "tenon" } });
  output.textContent = JSON.stringify(structuredContent);
} catch (error) {
  output.textContent = isHttpError(error) ? `HTTP ${error.status ?? error.code}` : String(error);
}
// #endregion connect
