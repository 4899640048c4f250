/** What a client and a server can do together. */
export const features = [
  "tools",
  "structured output",
  "resources",
  "templates",
  "prompts",
  "completion",
  "pagination",
  "logging",
  "progress",
  "cancellation",
  "updated resources",
  "changed lists",
  "elicitation by form",
  "elicitation by page",
  "sampling",
  "roots",
  "ping",
  "errors",
] as const;

/** One of {@link features}. */
export type Feature = (typeof features)[number];

/** For each feature how it is shown to work, or in a few words why this pairing has none. */
export type Checks<Kit> = Readonly<Record<Feature, ((kit: Kit) => Promise<void>) | string>>;

/** What every client answers when it is asked. */
export const answers = {
  roots: [{ uri: "file:///work", name: "work" }],
  name: "Ada",
  greeting: { role: "assistant" as const, model: "m", content: { type: "text" as const, text: "Hello" } },
};

/** The text of a result. */
export function textOf(result: object): string {
  const blocks = "content" in result ? (result.content as { readonly text?: string }[]) : [];
  return blocks.map(({ text }) => text ?? "").join("\n");
}
