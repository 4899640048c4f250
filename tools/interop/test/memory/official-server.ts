/** A server on the official SDK of any version, in what the checks need of it beyond the wire. */
export interface OfficialServer extends AsyncDisposable {
  /** The call of `hang` has begun. */
  readonly hanging: Promise<void>;
  /** It was cancelled. */
  readonly cancelled: Promise<void>;
  updated(uri: string): Promise<void>;
  addPrompt(): void;
}

/** What every such server declares. */
export const capabilities = {
  logging: {},
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
};

/** A result that is one text. */
export function text(value: string): { content: { type: "text"; text: string }[] } {
  return { content: [{ type: "text", text: value }] };
}

/** The result of the tool `point`. */
export const point = { ...text('{"x":1}'), structuredContent: { x: 1 } };

/** The names that begin so. */
export function startingWith(start: string): string[] {
  return ["Ada", "Alan", "Grace"].filter((name) => name.startsWith(start));
}

/** A tool that runs until it is cancelled, and the two moments that the checks wait for. */
export function hangingTool(): Pick<OfficialServer, "hanging" | "cancelled"> & {
  run(signal: AbortSignal): Promise<{ content: { type: "text"; text: string }[] }>;
} {
  let hang: () => void = () => {};
  let cancel: () => void = () => {};
  return {
    hanging: new Promise((resolve) => {
      hang = resolve;
    }),
    cancelled: new Promise((resolve) => {
      cancel = resolve;
    }),
    async run(signal) {
      hang();
      await new Promise((resolve) => {
        signal.addEventListener("abort", resolve);
      });
      cancel();
      return text("");
    },
  };
}
