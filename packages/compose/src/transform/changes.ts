import type { Tool, ToolAnnotations } from "@tenon/protocol";

/** Changes to one argument of a tool. */
export interface ArgumentChanges {
  /** Another name for it. */
  readonly name?: string | undefined;
  /** Another description for it. */
  readonly description?: string | undefined;
  /** The value that the tool always gets. Clients do not see the argument. */
  readonly value?: unknown;
}

/** Changes to a tool. */
export interface ToolChanges {
  /**
   * The name that clients see, without the name of the source. If another tool has it, the tool
   * keeps its own name.
   */
  readonly name?: string | undefined;
  /** The title that people see. */
  readonly title?: string | undefined;
  /** The description that models read. */
  readonly description?: string | undefined;
  /** Annotations that are added to the tool, in place of its own with the same name. */
  readonly annotations?: ToolAnnotations | undefined;
  /** Whether the tool is neither listed nor called. */
  readonly hide?: boolean | undefined;
  /** Changes to arguments, by the name that the tool gives them. */
  readonly arguments?: Readonly<Record<string, ArgumentChanges>> | undefined;
  /**
   * The part of the structured result that clients get, as a JSON pointer such as `/items`. A
   * result without that part is passed on whole.
   */
  readonly output?: string | undefined;
  /** Words for later transforms and for clients, in `_meta` of the tool under {@link tagsKey}. */
  readonly tags?: readonly string[] | undefined;
}

/** Changes to the tools whose names match. Patterns are names with `*`. */
export interface ToolTransform extends ToolChanges {
  /** The sources. By default all of them. */
  readonly source?: string | undefined;
  /** The tools, by the names that their sources give them. By default all of them. */
  readonly tool?: string | undefined;
  /** A tag that the tool has, from an earlier transform. By default it needs none. */
  readonly tag?: string | undefined;
}

/**
 * Changes to tools, as data or as a function. A function returns the changes to a tool, or nothing.
 *
 * @param tool - As earlier transforms have changed it, with the name that its source gives it.
 * @param source - The name of the source.
 */
export type Transform = ToolTransform | ((tool: Tool, source: string) => ToolChanges | undefined);

/** The key of the tags in `_meta` of a tool. */
export const tagsKey = "io.github.tenon-mcp/tags";
