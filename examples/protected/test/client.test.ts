import { approve } from "@tenon/example-authorization-server";
import { memoryStore, type SafeAuthorizationUrl } from "@tenon/sdk/auth/client";
import { expect, test } from "vitest";

import { connect } from "../src/connect.ts";
import { start } from "./start.ts";

interface Browser {
  /** How many times it was opened. */
  readonly visits: number;
  open(url: SafeAuthorizationUrl): Promise<void>;
}

/**
 * A browser whose user logs in and consents to everything. It visits the client's own page in the
 * end, as a real one does.
 */
function browserOf(user: string): Browser {
  let visits = 0;
  return {
    get visits() {
      return visits;
    },
    async open({ href }) {
      visits++;
      const page = await fetch(await approve(new URL(href), user));
      expect(page.status).toBe(200);
    },
  };
}

test("the example client logs in at a real authorization server, asks for a further scope, and stays logged in", async () => {
  await using notes = await start();
  const browser = browserOf("ada");
  const store = memoryStore();
  const first = await connect(notes.resource, { open: browser.open, store });
  expect(browser.visits).toBe(1);
  await first.authorized(() =>
    first.session.callTool({ name: "add_note", arguments: { title: "Buy milk" } }),
  );
  expect(browser.visits).toBe(2);
  await first.session.close();

  const second = await connect(notes.resource, { open: browser.open, store });
  const { content } = await second.session.callTool({ name: "list_notes", arguments: {} });
  expect(content).toMatchObject([{ text: "Buy milk" }]);
  expect(browser.visits).toBe(2);
  await second.session.close();
});
