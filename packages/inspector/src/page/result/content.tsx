import type { VNode } from "preact";

import { asSchema, text as textOf, type Schema } from "../form/shape.ts";
import { size } from "../format.ts";
import { Json } from "../parts/json.tsx";
import { Media } from "./media.tsx";
import { hostOf, OutsideLink } from "./outside-link.tsx";
import { Text } from "./text.tsx";

/** How many blocks are drawn. */
const maxBlocks = 500;

/** Draws what a person reads behind the link of a resource. */
export type ReadResource = (uri: string) => VNode | null;

/** The contents of a resource: text, or a file. */
export function ResourceContents({ resource }: { resource: Schema }): VNode {
  const { uri, mimeType, text, blob } = resource;
  const type = typeof mimeType === "string" ? mimeType : undefined;
  return (
    <section class="block resource" aria-label={`Resource ${textOf(uri)}`}>
      <p class="facts">
        <code>{textOf(uri)}</code>
        {type !== undefined && <span>{type}</span>}
      </p>
      {typeof text === "string" ? (
        <Text text={text} mimeType={type} />
      ) : typeof blob === "string" ? (
        <Media
          data={blob}
          mimeType={type ?? "application/octet-stream"}
          label={`Contents of ${textOf(uri)}`}
        />
      ) : (
        <p class="problem">The resource has neither text nor blob.</p>
      )}
    </section>
  );
}

function LinkCard({ link, read }: { link: Schema; read: ReadResource | undefined }): VNode {
  const { uri, name, title, description, mimeType, size: bytes } = link;
  const address = textOf(uri);
  const host = hostOf(address);
  return (
    <section class="block card link-card" aria-label={`Link to ${textOf(title ?? name ?? uri)}`}>
      <h4>{textOf(title ?? name ?? uri)}</h4>
      {typeof description === "string" && <p class="description">{description}</p>}
      <p class="facts">
        <code>{address}</code>
        {typeof mimeType === "string" && <span>{mimeType}</span>}
        {typeof bytes === "number" && <span>{size(bytes)}</span>}
        {host !== undefined && <OutsideLink url={address}>Open</OutsideLink>}
      </p>
      {read?.(address)}
    </section>
  );
}

/** A block of content. */
export function Block({ block, read }: { block: Schema; read: ReadResource | undefined }): VNode {
  const { type, text, data, mimeType } = block;
  if (type === "text" && typeof text === "string") {
    return (
      <div class="block">
        <Text text={text} />
      </div>
    );
  }
  if ((type === "image" || type === "audio") && typeof data === "string") {
    return (
      <div class="block">
        <Media
          data={data}
          mimeType={textOf(mimeType ?? "")}
          label={type === "image" ? "Picture of the server" : "Sound of the server"}
        />
      </div>
    );
  }
  if (type === "resource_link") {
    return <LinkCard link={block} read={read} />;
  }
  if (type === "resource") {
    return <ResourceContents resource={asSchema(block["resource"])} />;
  }
  if (type === "tool_use") {
    return (
      <div class="block">
        <p class="facts">
          <span class="tag">calls a tool</span> <strong>{textOf(block["name"])}</strong>
        </p>
        <Json value={block["input"]} label={`Arguments of ${textOf(block["name"])}`} />
      </div>
    );
  }
  if (type === "tool_result") {
    return (
      <div class="block">
        <p class="facts">
          <span class="tag">result of a tool</span>
          {block["isError"] === true && <span class="status error">✕ error</span>}
        </p>
        <Blocks content={block["content"]} read={read} />
      </div>
    );
  }
  return (
    <div class="block">
      <p class="facts">
        <span class="tag">{textOf(type ?? "unknown")}</span>{" "}
        <span>The page cannot show this kind of content.</span>
      </p>
      <Json value={block} label="Content as JSON" />
    </div>
  );
}

/** The blocks of a result or a message: a list, or one alone. */
export function Blocks({ content, read }: { content: unknown; read: ReadResource | undefined }): VNode {
  const list = Array.isArray(content) ? (content as readonly unknown[]) : [content];
  return (
    <>
      {list.slice(0, maxBlocks).map((block, index) => (
        <Block key={index} block={asSchema(block)} read={read} />
      ))}
      {list.length > maxBlocks && <p class="dim">{list.length - maxBlocks} further blocks: see the JSON.</p>}
    </>
  );
}
