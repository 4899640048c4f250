import type { Action, Definitions } from "../wire/action.ts";
import { server } from "./servers.ts";

const keyName = "tenon-inspector-key";

/** A refusal of the inspector, in words. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Exchanges the code of the link for a cookie and a key, and removes it from the address. */
export async function logIn(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get("code");
  if (code === null) {
    return;
  }
  history.replaceState(null, "", location.pathname);
  const response = await fetch("session", { method: "POST", body: code });
  if (!response.ok) {
    throw new Refused(response.status, await response.text());
  }
  const { key } = (await response.json()) as { readonly key: string };
  sessionStorage.setItem(keyName, key);
}

/** Sends a request with the key of this browser. @throws `Refused` for an error of the server. */
export async function request(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("x-inspector-key", sessionStorage.getItem(keyName) ?? "");
  const response = await fetch(path, { ...init, headers });
  if (!response.ok) {
    throw new Refused(response.status, (await response.text()).trim());
  }
  return response;
}

/** Sends an action to the inspector, for the server that the page shows. */
export async function act(action: Action, to = server.peek()): Promise<unknown> {
  const response = await request("action", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(to === "" ? action : { ...action, server: to }),
  });
  return response.json();
}

/** The lists of a server. */
export async function definitions(of: string): Promise<Definitions> {
  return (await act({ do: "definitions" }, of)) as Definitions;
}

/** A part of the text of a line. */
export interface LinePart {
  readonly part: string;
  /** The length of the whole text. */
  readonly length: number;
  readonly bytes: number;
  /** The offset of the next part. */
  readonly next?: number;
}

/** Reads the text of a line from `offset`. */
export async function readLine(seq: number, offset = 0): Promise<LinePart> {
  const response = await request(`line?seq=${seq}&offset=${offset}`);
  return (await response.json()) as LinePart;
}

/** Reads the whole text of a line, up to a length; `undefined` if it is longer. */
export async function readWhole(seq: number, most = 4_000_000): Promise<string | undefined> {
  let text = "";
  for (let offset: number | undefined = 0; offset !== undefined;) {
    const { part, length, next } = await readLine(seq, offset);
    if (length > most) {
      return undefined;
    }
    text += part;
    offset = next;
  }
  return text;
}
