import type { Part } from "./suite.ts";

/** A case of the suite that contradicts another one or the specification, and why. */
export interface Contradiction {
  readonly draft: "draft2020-12" | "draft7";
  readonly part: Part;
  /** As the suite test prints it. */
  readonly name: string;
  readonly reason: string;
}

/** Exactly the cases that are answered differently from what the suite says. There are none. */
export const contradictions: readonly Contradiction[] = [];
