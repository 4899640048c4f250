"use client";

/**
 * Hooks for pages that are clients of MCP servers: connections, lists, calls, resources, prompts
 * and input requests, as state of components.
 *
 * @packageDocumentation
 */

export type { ToolCallOptions, ToolCalls } from "./call-store.ts";
export type { FormInput, InputKind, ServerInput, UrlInput } from "./inputs.ts";
export type { Login, LoginProvider } from "./login-store.ts";
export { reportLogin } from "./popup.ts";
export type { Loaded } from "./query.ts";
export type { ListName, ConnectionControls, ServerConnection, UseServerOptions } from "./server-store.ts";
export { useCall } from "./use-call.ts";
export { usePrompts, useResources, useResourceTemplates, useTools } from "./use-lists.ts";
export { useLogin, type UseLoginOptions } from "./use-login.ts";
export { usePrompt } from "./use-prompt.ts";
export { useResource, type UseResourceOptions } from "./use-resource.ts";
export { useServer } from "./use-server.ts";
