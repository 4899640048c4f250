import { expectTypeOf, test } from "vitest";

import type * as Legacy from "../src/gen/2025-06-18/index.ts";
import type * as Modern from "../src/gen/2026-07-28/index.ts";
import type {
  BlobResourceContents,
  CallToolRequestParams,
  CallToolResult,
  ContentBlock,
  CreateTaskResult,
  EmbeddedResource,
  InputRequiredResult,
  Methods,
  Notifications,
  ReadResourceRequestParams,
  RequestMetaObject,
  TextResourceContents,
  Tool,
} from "../src/index.ts";

test("S-048 arguments are a string-keyed map of anything", () => {
  expectTypeOf<NonNullable<CallToolRequestParams["arguments"]>>().toEqualTypeOf<{ [key: string]: unknown }>();
});

test("S-049 content narrows on its type", () => {
  expectTypeOf<ContentBlock["type"]>().toEqualTypeOf<
    "text" | "image" | "audio" | "resource_link" | "resource"
  >();
  expectTypeOf<Extract<ContentBlock, { type: "audio" }>["data"]>().toEqualTypeOf<string>();
});

test("S-050 an embedded resource is text or base64", () => {
  expectTypeOf<EmbeddedResource["resource"]>().toEqualTypeOf<TextResourceContents | BlobResourceContents>();
});

test("S-051 a tool's result has content, and structured content of any JSON type", () => {
  expectTypeOf<CallToolResult["content"]>().toEqualTypeOf<ContentBlock[]>();
  expectTypeOf<CallToolResult["structuredContent"]>().toEqualTypeOf<unknown>();
  expectTypeOf<CallToolResult["isError"]>().toEqualTypeOf<boolean | undefined>();
});

test("S-052 metadata carries a progress token and anything else", () => {
  const meta: RequestMetaObject = { progressToken: 1, "example.test/trace": { id: 1 } };
  expectTypeOf(meta.progressToken).toEqualTypeOf<string | number | undefined>();
  expectTypeOf(meta["example.test/trace"]).toEqualTypeOf<unknown>();
});

test("S-053 reading a resource takes its uri", () => {
  expectTypeOf<{ uri: string }>().toExtend<ReadResourceRequestParams>();
});

test("S-071 what callers wrote against an older revision compiles against the merged types", () => {
  expectTypeOf<{ name: string; arguments: { x: number } }>().toExtend<CallToolRequestParams>();
  expectTypeOf<Legacy.CallToolResult>().toExtend<CallToolResult>();
  expectTypeOf<Modern.CallToolResult>().toExtend<CallToolResult>();
  expectTypeOf<Legacy.Tool>().toExtend<Tool>();
  expectTypeOf<Modern.Tool>().toExtend<Tool>();
});

test("the exact types of a revision ask for what that revision requires", () => {
  expectTypeOf<Modern.CallToolResult["resultType"]>().toEqualTypeOf<string>();
  expectTypeOf<Legacy.CallToolResult>().not.toHaveProperty("resultType");
});

test("the method map gives params, result and every possible answer", () => {
  expectTypeOf<Methods["tools/call"]["params"]>().toEqualTypeOf<CallToolRequestParams>();
  expectTypeOf<Methods["tools/call"]["result"]>().toEqualTypeOf<CallToolResult>();
  expectTypeOf<Methods["tools/call"]["answer"]>().toEqualTypeOf<
    CallToolResult | CreateTaskResult | InputRequiredResult
  >();
  expectTypeOf<Methods["ping"]["sentBy"]>().toEqualTypeOf<"client" | "server">();
  expectTypeOf<Notifications["notifications/progress"]["params"]["progress"]>().toEqualTypeOf<number>();
});
