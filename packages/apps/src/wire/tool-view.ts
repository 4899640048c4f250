/** The callers of a tool: the model, and the views of its server. */
export type ToolVisibility = "model" | "app";

/** Both kinds of {@link ToolVisibility}, the default. */
export const visibilities: readonly ToolVisibility[] = ["model", "app"];
