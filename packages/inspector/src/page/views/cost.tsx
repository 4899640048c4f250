import { costOf } from "@tenon/host";
import type { VNode } from "preact";

import { asSchema, text } from "../form/shape.ts";
import { size } from "../format.ts";

/** How many tools are listed, most expensive first. */
const maxTools = 20;

/** A whole number with separators: `12,345`. */
const numberOf = (value: number): string => value.toLocaleString("en");

/** What the definitions of the tools cost in the context of a model. */
export function Cost({ tools }: { tools: readonly object[] }): VNode | null {
  const {
    tokens,
    bytes,
    tools: each,
  } = costOf(tools.map((tool) => ({ name: text(asSchema(tool)["name"]), tool: tool as never })));
  return each.length === 0 ? null : (
    <details class="card cost">
      <summary>
        The definitions of the tools cost a model about {numberOf(tokens)} tokens ({size(bytes)})
      </summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Tool</th>
            <th scope="col">Tokens</th>
            <th scope="col">Share</th>
          </tr>
        </thead>
        <tbody>
          {each.slice(0, maxTools).map((tool) => (
            <tr key={tool.name}>
              <th scope="row">
                <code>{tool.name}</code>
              </th>
              <td>{numberOf(tool.tokens)}</td>
              <td>{Math.round((100 * tool.bytes) / bytes)} %</td>
            </tr>
          ))}
        </tbody>
      </table>
      {each.length > maxTools && <p class="dim">{each.length - maxTools} further tools cost less.</p>}
    </details>
  );
}
