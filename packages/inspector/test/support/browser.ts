import { createInspector, type Inspector, type InspectorOptions } from "@tenon/inspector";

import type { InspectorEvent, InspectorState, ServerState } from "../../src/wire/state.ts";
import type { Summary } from "../../src/wire/summary.ts";

/** The state of the inspector and of one of its servers. */
export type SeenState = InspectorState & ServerState;

/** A browser that is logged in, without a browser. */
export interface FakeBrowser {
  readonly inspector: Inspector;
  /** Sends a request as the page does; `headers` replace the page's own, and `null` removes one. */
  send(
    path: string,
    init?: { method?: string; body?: string; headers?: Record<string, string | null> },
  ): Promise<Response>;
  act(action: object): Promise<unknown>;
  /** All lines so far, as the stream of events gives them. */
  lines(): Promise<readonly Summary[]>;
  /** Waits for a state of the inspector, with that of a server, by default the first. */
  state(matches: (state: SeenState) => boolean, server?: string): Promise<SeenState>;
}

const origin = "http://127.0.0.1:4000";

/** Creates an inspector and logs a browser in. */
export async function logIn(options: InspectorOptions): Promise<FakeBrowser> {
  const inspector = createInspector(options);
  const code = new URLSearchParams(inspector.link(origin).hash.slice(1)).get("code") ?? "";
  const page = { host: "127.0.0.1:4000", origin, "sec-fetch-site": "same-origin", "sec-fetch-dest": "empty" };
  const response = await inspector.handle(
    new Request(`${origin}/session`, { method: "POST", body: code, headers: page }),
  );
  const { key } = (await response.json()) as { key: string };
  const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
  const send: FakeBrowser["send"] = (path, { method = "GET", body, headers = {} } = {}) => {
    const all = { ...page, cookie, "x-inspector-key": key, "content-type": "application/json", ...headers };
    const kept = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== null);
    return inspector.handle(
      new Request(`${origin}/${path}`, { method, headers: kept, ...(body === undefined ? {} : { body }) }),
    );
  };
  async function* events(): AsyncGenerator<InspectorEvent> {
    const { body } = await send("events");
    let rest = "";
    for await (const text of (body ?? new ReadableStream()).pipeThrough(new TextDecoderStream())) {
      const parts = (rest + text).split("\n\n");
      rest = parts.pop() ?? "";
      yield* parts.map((part) => JSON.parse(part.slice(6)) as InspectorEvent);
    }
  }
  return {
    inspector,
    send,
    async act(action) {
      const acted = await send("action", { method: "POST", body: JSON.stringify(action) });
      return acted.ok ? acted.json() : Promise.reject(new Error(await acted.text()));
    },
    async lines() {
      for await (const event of events()) {
        if (event.type === "lines") {
          return event.lines;
        }
      }
      return [];
    },
    async state(matches, server) {
      for await (const event of events()) {
        if (event.type === "state") {
          const { servers } = event.state;
          const one = server === undefined ? servers[0] : servers.find(({ id }) => id === server);
          const seen = one === undefined ? undefined : { ...event.state, ...one };
          if (seen !== undefined && matches(seen)) {
            return seen;
          }
        }
      }
      throw new Error("The inspector was closed.");
    },
  };
}
