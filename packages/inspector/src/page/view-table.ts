/**
 * The views of the page, in the order of the navigation: name, title and key. Each has a section
 * in `docs/inspector.md`, under its title.
 */
export const views = [
  ["start", "Start", "h"],
  ["timeline", "Timeline", "1"],
  ["waterfall", "Waterfall", "2"],
  ["try", "Try", "3"],
  ["answers", "Input requests", "4"],
  ["tasks", "Tasks", "5"],
  ["subscriptions", "Subscriptions", "6"],
  ["logs", "Logs", "7"],
  ["auth", "Login, HTTP", "8"],
  ["apps", "Apps", "9"],
  ["skills", "Skills", "0"],
  ["diff", "Compare", "c"],
  ["chat", "Chat", "a"],
] as const;

/** The name of a view. */
export type View = (typeof views)[number][0];
