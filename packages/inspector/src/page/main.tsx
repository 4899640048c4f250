import { render } from "preact";

import { logIn } from "./api.ts";
import { App } from "./app.tsx";
import { handleKey } from "./commands.ts";
import { connection, lines, say, take, unsay } from "./store.ts";
import { followEvents } from "./stream.ts";
import { followTheme } from "./theme.ts";
import { showInvisible } from "./visible.ts";

async function start(root: HTMLElement): Promise<void> {
  // The inspector answers while the page is drawn.
  const login = logIn();
  login.catch(() => {});
  root.replaceChildren();
  showInvisible();
  followTheme();
  render(<App />, root);
  document.addEventListener("keydown", handleKey);
  try {
    await login;
  } catch (error) {
    connection.value = { connected: false, reason: error instanceof Error ? error.message : String(error) };
    return;
  }
  await followEvents(
    () => lines.at(-1)?.seq ?? 0,
    take,
    (connected, reason) => {
      connection.value = { connected, reason };
      if (!connected) {
        unsay();
      }
    },
  );
}

const root = document.getElementById("app");
if (root !== null) {
  start(root).catch(say);
}
