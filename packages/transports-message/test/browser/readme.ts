// The page and the frame of the README.
import { Peer } from "@tenon/jsonrpc2";
import { windowTransport } from "@tenon/transports-message";

const { searchParams } = new URL(location.href);
const otherOrigin = searchParams.get("origin") ?? location.origin;

async function inPage(): Promise<void> {
  // #region page
  const frame = document.querySelector("iframe") as HTMLIFrameElement;
  const transport = windowTransport(frame.contentWindow as Window, {
    origin: otherOrigin, // such as "https://views.example"
    onWarning: (message) => console.warn(message),
  });
  const server = new Peer(await transport.connect(), { handler: ({ params }) => params });
  // #endregion page
  void server.closed.then(() => {
    document.title = "closed";
  });
}

async function inFrame(): Promise<void> {
  // #region frame
  const transport = windowTransport(window.parent, { origin: otherOrigin });
  const client = new Peer(await transport.connect());
  const answer = await client.call("echo", { a: 1 });
  // #endregion frame
  window.parent.postMessage(answer, "*");
  await client.close();
}

void (window.parent === window ? inPage() : inFrame());
