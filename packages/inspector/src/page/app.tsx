import { signal, type Signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

import { addCommands, dialog } from "./commands.ts";
import { Banner } from "./parts/banner.tsx";
import { Dialogs } from "./parts/dialogs.tsx";
import { Header } from "./parts/header.tsx";
import { scrollTo } from "./parts/scroll-to.ts";
import { ServerBar } from "./parts/server-bar.tsx";
import { server } from "./servers.ts";
import { connection, notice, say, state, unsay, view } from "./store.ts";
import { views, type View } from "./view-table.ts";
import { Auth, Logs, Subscriptions } from "./views/activity.tsx";
import { Answers } from "./views/answers.tsx";
import { Apps } from "./views/apps.tsx";
import { Diff } from "./views/diff.tsx";
import { Skills } from "./views/skills.tsx";
import { Start } from "./views/start.tsx";
import { Tasks } from "./views/tasks.tsx";
import { Timeline } from "./views/timeline.tsx";
import { Try } from "./views/try.tsx";
import { Waterfall } from "./views/waterfall.tsx";

/** The view Chat, once it was loaded: most people do not use it. */
const chat: Signal<{ readonly View: () => VNode } | undefined> = signal(undefined);

function Chat(): VNode {
  useEffect(() => {
    import("./views/chat.lazy.tsx").then(({ Chat: loaded }) => {
      chat.value = { View: loaded };
    }, say);
  }, []);
  const { View: Loaded } = chat.value ?? {};
  return Loaded === undefined ? <p class="empty">Loading…</p> : <Loaded />;
}

/** The component of each view of `view-table.ts`. */
const shows: Readonly<Record<View, () => VNode>> = {
  start: Start,
  timeline: Timeline,
  waterfall: Waterfall,
  try: Try,
  answers: Answers,
  tasks: Tasks,
  subscriptions: Subscriptions,
  logs: Logs,
  auth: Auth,
  apps: Apps,
  skills: Skills,
  diff: Diff,
  chat: Chat,
};

/** The view Chat is offered if there is a model. */
const isOffered = (name: View): boolean => name !== "chat" || state.value?.model !== undefined;

addCommands(
  { title: "Show all keys", keys: "?", run: () => void (dialog.value = "help") },
  { title: "Search all commands", keys: "mod+k", run: () => void (dialog.value = "palette") },
  ...views.map(([name, title, keys]) => ({
    title: `Go to ${title}`,
    keys,
    exists: () => isOffered(name),
    run: () => void (view.value = name),
  })),
);

function Navigation(): VNode {
  const inputRequests = state.value?.inputRequests.length ?? 0;
  return (
    <nav aria-label="Views">
      {views.map(
        ([name, title, key]) =>
          isOffered(name) && (
            <button
              key={name}
              type="button"
              aria-current={view.value === name ? "page" : undefined}
              onClick={() => {
                view.value = name;
              }}
            >
              <kbd aria-hidden="true">{key}</kbd>
              {title}
              {name === "answers" && inputRequests > 0 && (
                <span class="count">
                  {inputRequests}
                  <span class="visually-hidden"> waiting</span>
                </span>
              )}
            </button>
          ),
      )}
    </nav>
  );
}

/** Moves a focus that is nowhere into the view: to what is open in a list, for the arrow keys. */
function enter(): void {
  const { activeElement: at } = document;
  if (at === null || at === document.body) {
    const main = document.getElementById("main");
    const current = main?.querySelector<HTMLElement>(".targets [aria-current]");
    (current ?? main)?.focus({ preventScroll: true });
  }
}

/** Moves the focus past the navigation. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Notice(): VNode {
  const { value } = notice;
  return (
    <div class={`notice-bar ${value === "" ? "quiet" : ""}`}>
      <p class="notice" role="status" aria-live="polite">
        {value}
      </p>
      {value !== "" && (
        <button type="button" aria-label="Close the message" onClick={unsay}>
          ✕
        </button>
      )}
    </div>
  );
}

/** The whole page. */
export function App(): VNode {
  const Shown = shows[view.value];
  const shown = useRef(view.value);
  useLayoutEffect(() => {
    if (shown.current !== view.value) {
      shown.current = view.value;
      enter();
      // A message belongs to the view in which it was said.
      unsay();
      scrollTo(document.querySelector<HTMLElement>("nav [aria-current]"));
    }
  }, [view.value]);
  const { reason } = connection.value;
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <Header />
      <ServerBar />
      <Banner />
      {reason === undefined && (
        <div class="body">
          <Navigation />
          <main
            key={`${server.value} ${view.value}`}
            id="main"
            tabIndex={-1}
            aria-label={views.find(([name]) => name === view.value)?.[1]}
          >
            <Shown />
          </main>
        </div>
      )}
      <Notice />
      <Dialogs />
    </>
  );
}
