/** What comes of the tour in one revision. */
export function outcome(revision: string, asked = "You said green"): object {
  return {
    revision,
    tools: ["add", "ask", "count"],
    sums: Array.from({ length: 16 }, (_, a) => String(a + 1)),
    counted: "counted",
    progress: [1, 2, 3],
    asked,
  };
}

/** One of each era, and the oldest one that Streamable HTTP has. */
export const revisions = ["2026-07-28", "2025-11-25", "2025-03-26"] as const;
