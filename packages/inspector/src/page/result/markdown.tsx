import type { ComponentChildren, VNode } from "preact";
import { useMemo } from "preact/hooks";

import { parseMarkdown, type Block, type Inline } from "./markdown.ts";
import { OutsideLink } from "./outside-link.tsx";

function inlines(parts: readonly Inline[]): ComponentChildren {
  return parts.map((part, index) => {
    switch (part.kind) {
      case "text":
        return part.text;
      case "code":
        return <code key={index}>{part.text}</code>;
      case "strong":
        return <strong key={index}>{inlines(part.content)}</strong>;
      case "emphasis":
        return <em key={index}>{inlines(part.content)}</em>;
      case "link":
        return (
          <OutsideLink key={index} url={part.url}>
            {part.text}
          </OutsideLink>
        );
    }
  });
}

function drawn(block: Block, index: number): VNode {
  switch (block.kind) {
    case "heading":
      // The page has its own headings: these are part of the content, and below them.
      return (
        <p key={index} class={`md-heading md-${block.level}`} role="heading" aria-level={block.level + 3}>
          {inlines(block.content)}
        </p>
      );
    case "paragraph":
      return <p key={index}>{inlines(block.content)}</p>;
    case "code":
      return (
        <pre key={index} tabIndex={0} role="region" aria-label={`Code ${block.language}`.trim()}>
          {block.text}
        </pre>
      );
    case "rule":
      return <hr key={index} />;
    case "quote":
      return <blockquote key={index}>{block.content.map(drawn)}</blockquote>;
    case "list": {
      const items = block.items.map((item, at) => <li key={at}>{item.map(drawn)}</li>);
      return block.isOrdered ? (
        <ol key={index} start={block.start}>
          {items}
        </ol>
      ) : (
        <ul key={index}>{items}</ul>
      );
    }
    case "table":
      return (
        <div key={index} class="scroll" tabIndex={0} role="region" aria-label="Table">
          <table>
            <thead>
              <tr>
                {block.head.map((cell, at) => (
                  <th key={at} scope="col">
                    {inlines(cell)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, at) => (
                <tr key={at}>
                  {row.map((cell, column) => (
                    <td key={column}>{inlines(cell)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      );
  }
}

/** Markdown as elements of the page. Nothing in it becomes HTML, loads anything or runs. */
export function Markdown({ text }: { text: string }): VNode {
  const blocks = useMemo(() => parseMarkdown(text), [text]);
  return <div class="md">{blocks.map(drawn)}</div>;
}
