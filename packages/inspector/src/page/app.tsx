import type { VNode } from "preact";

import { addCommands, dialog } from "./commands.ts";
import { Dialogs } from "./parts/dialogs.tsx";
import { Header } from "./parts/header.tsx";
import { connection, notice, state, view, views, type View } from "./store.ts";
import { Auth, Logs, Subscriptions, Tasks } from "./views/activity.tsx";
import { Answers } from "./views/answers.tsx";
import { Apps } from "./views/apps.tsx";
import { Diff } from "./views/diff.tsx";
import { Skills } from "./views/skills.tsx";
import { Timeline } from "./views/timeline.tsx";
import { Try } from "./views/try.tsx";
import { Waterfall } from "./views/waterfall.tsx";

const shows: Readonly<Record<View, () => VNode>> = {
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
};

/** The key of a view: digits, and a letter for the view that has none. */
const keyOf = (index: number): string => (index < 10 ? String((index + 1) % 10) : "c");

addCommands(
  { title: "Show all keys", keys: "?", run: () => void (dialog.value = "help") },
  { title: "Search all commands", keys: "mod+k", run: () => void (dialog.value = "palette") },
  ...views.map(([name, title], index) => ({
    title: `Go to ${title}`,
    keys: keyOf(index),
    run: () => void (view.value = name),
  })),
);

function Navigation(): VNode {
  const inputRequests = state.value?.inputRequests.length ?? 0;
  return (
    <nav aria-label="Views">
      {views.map(([name, title], index) => (
        <button
          key={name}
          type="button"
          aria-current={view.value === name ? "page" : undefined}
          onClick={() => {
            view.value = name;
          }}
        >
          <kbd aria-hidden="true">{keyOf(index)}</kbd>
          {title}
          {name === "answers" && inputRequests > 0 && (
            <span class="count">
              {inputRequests}
              <span class="visually-hidden"> waiting</span>
            </span>
          )}
        </button>
      ))}
    </nav>
  );
}

/** The whole page. */
export function App(): VNode {
  const Shown = shows[view.value];
  const { connected, reason } = connection.value;
  return (
    <>
      <Header />
      {!connected && (
        <p class="banner" role="alert">
          {reason ?? "The page has no connection to the inspector. It connects again by itself."}
        </p>
      )}
      <div class="body">
        <Navigation />
        <main key={view.value} aria-label={views.find(([name]) => name === view.value)?.[1]}>
          <Shown />
        </main>
      </div>
      <p class="notice" role="status" aria-live="polite">
        {notice.value}
      </p>
      <Dialogs />
    </>
  );
}
