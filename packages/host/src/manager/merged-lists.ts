import type { Clock } from "@tenon/base";

import { MergedList, type Part } from "../list/merged-list.ts";
import type { NameTable } from "../names/name-table.ts";
import type { PinBoard } from "../policy/pins.ts";
import type { Member } from "./member.ts";
import type { NamedPrompt, NamedResource, NamedResourceTemplate, NamedTool } from "./options.ts";
import { isAllowed, isRefused } from "./permit.ts";

/** The lists of all servers, merged. */
export class MergedLists {
  readonly tools: MergedList<NamedTool>;
  readonly prompts: MergedList<NamedPrompt>;
  readonly resources: MergedList<NamedResource>;
  readonly resourceTemplates: MergedList<NamedResourceTemplate>;

  /** @param members - The servers in order. */
  constructor(members: () => readonly Member[], names: NameTable, pins: PinBoard, clock: Clock) {
    const merged = <T>(part: (member: Member) => Part<T>): MergedList<T> =>
      new MergedList(() => members().map(part), clock);
    this.tools = merged(({ server: { name: server, rules }, lists }) =>
      lists.part(
        "tools",
        (tool) =>
          isAllowed(rules, tool.name, tool) && !isRefused(rules, pins, server, tool.name)
            ? { server, name: names.nameOf(server, tool.name), tool }
            : undefined,
        ({ name }) => name,
      ),
    );
    this.prompts = merged(({ server: { name: server }, lists }) =>
      lists.part(
        "prompts",
        (prompt) => ({ server, prompt }),
        ({ name }) => name,
      ),
    );
    this.resources = merged(({ server: { name: server }, lists }) =>
      lists.part(
        "resources",
        (resource) => ({ server, resource }),
        ({ uri }) => uri,
      ),
    );
    this.resourceTemplates = merged(({ server: { name: server }, lists }) =>
      lists.part(
        "resourceTemplates",
        (resourceTemplate) => ({ server, resourceTemplate }),
        ({ uriTemplate }) => uriTemplate,
      ),
    );
  }

  /** The next reads look at all servers again. */
  mark(): void {
    this.tools.mark();
    this.prompts.mark();
    this.resources.mark();
    this.resourceTemplates.mark();
  }
}
