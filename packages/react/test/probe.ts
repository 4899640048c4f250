import type {
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Tool,
} from "@tenon/protocol";

import type { Loaded, ServerConnection, ToolCalls } from "../src/index.ts";

/** Properties of the component that uses each hook. */
export interface ProbeProps {
  readonly url?: string | undefined;
  readonly revision: string;
  readonly uri?: string | undefined;
  readonly watch?: boolean | undefined;
  readonly prompt?: string | undefined;
  readonly topic?: string | undefined;
  /** The name of the client. */
  readonly name?: string | undefined;
}

/** What the hooks have returned in one render. */
export interface Seen {
  readonly server: ServerConnection;
  readonly tools: Loaded<readonly Tool[]>;
  readonly prompts: Loaded<readonly Prompt[]>;
  readonly resources: Loaded<readonly Resource[]>;
  readonly templates: Loaded<readonly ResourceTemplate[]>;
  readonly resource: Loaded<ReadResourceResult>;
  readonly prompt: Loaded<GetPromptResult>;
  readonly call: ToolCalls;
  readonly other: ToolCalls;
}

/** What the page offers to tests. */
export interface PageProbe {
  /** Forgets all renders. */
  readonly clear: () => void;
  /** The number of renders for which a condition is true. */
  readonly count: (condition: (seen: Seen) => boolean) => number;
  /** The last render. */
  readonly last: () => Seen;
  /** The responses that have finished a login. */
  readonly finished: readonly string[];
  /** Renders the component, or unmounts it. */
  readonly show: (props: ProbeProps | null) => void;
}
