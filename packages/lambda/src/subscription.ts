/** As the header of a request names its method. */
const listen = "subscriptions/listen";

/**
 * The response to a request that would last as long as its function may run; `undefined` for any
 * other request, whose body is not read.
 */
export async function refusalOf(request: Request): Promise<Response | undefined> {
  if (request.headers.get("mcp-method") !== listen) {
    return undefined;
  }
  const error = { code: -32_601, message: "Subscriptions need a function that streams its responses." };
  const id = idOf(await request.text());
  return Response.json({ jsonrpc: "2.0", id, error }, { status: 404 });
}

function idOf(text: string): string | number | null {
  try {
    const { id } = JSON.parse(text) as { readonly id?: unknown };
    return typeof id === "string" || typeof id === "number" ? id : null;
  } catch {
    return null;
  }
}
