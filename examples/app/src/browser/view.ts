// Runs in the frame of the view: a button for each dish, with its votes.
import { applyHostStyles, connectView, type View } from "@tenon/sdk/apps/view";

interface Poll {
  readonly votes: Readonly<Record<string, number>>;
}

// #region view
await connectView({
  info: { name: "lunch-poll", version: "1.0.0" },
  onContext: applyHostStyles,
  onResult: ({ structuredContent }, view) => show(structuredContent as Poll, view),
});

function show({ votes }: Poll, view: View): void {
  const buttons = Object.entries(votes).map(([dish, count]) => {
    const button = document.createElement("button");
    button.textContent = `${dish}: ${count}`;
    button.addEventListener("click", () => void vote(dish, view));
    return button;
  });
  document.body.replaceChildren(...buttons);
}

async function vote(dish: string, view: View): Promise<void> {
  const { structuredContent } = await view.callTool({ name: "vote", arguments: { dish } });
  show(structuredContent as Poll, view);
  if (view.hostCapabilities.updateModelContext !== undefined) {
    await view.updateModelContext({ structuredContent: structuredContent as Record<string, unknown> });
  }
}
// #endregion view
