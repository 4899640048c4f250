declare module "*/install.mjs" {
  export const sdks: Readonly<Record<"tenon" | "original", string>>;
  export function folderWith(sdk: "tenon" | "original", files: Readonly<Record<string, string>>): string;
  export function commandWith(sdk: "tenon" | "original", name: string): string;
  export function removeFolders(): void;
}

declare module "*/converse.mjs" {
  export interface Reply {
    readonly result?: { readonly [key: string]: unknown } | undefined;
    readonly error?: unknown;
  }
  export type Call = (method: string, params?: object) => Promise<Reply>;
  export interface Conversation {
    readonly results: readonly Reply[];
    readonly notifications: readonly object[];
    readonly asked: readonly { readonly method: string; readonly params: unknown }[];
  }
  export function converse(
    file: string,
    args: readonly string[],
    requests: readonly (readonly [string, object?])[] | ((call: Call) => Promise<void>),
    options?: {
      readonly timeoutMs?: number;
      readonly cwd?: string;
      readonly env?: object;
      readonly afterAsked?: string | undefined;
    },
  ): Promise<Conversation>;
}

declare module "*/entries.mjs" {
  export const own: ReadonlySet<string>;
  export const modules: readonly string[];
  export function stale(): string[];
}
