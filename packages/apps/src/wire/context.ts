import type { RequestId } from "@tenon/jsonrpc2";
import type { Tool } from "@tenon/protocol";

/** The place of a view: between messages, on the whole screen, or above other content. */
export type DisplayMode = "inline" | "fullscreen" | "pip";

/** The space of a view in pixels. A dimension is fixed, or the view decides it up to a maximum. */
export interface ContainerDimensions {
  readonly height?: number | undefined;
  readonly maxHeight?: number | undefined;
  readonly width?: number | undefined;
  readonly maxWidth?: number | undefined;
}

/** The colors, fonts and sizes of a host. */
export interface HostStyles {
  /** Values of CSS variables, such as `--color-text-primary`. */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined;
  /** CSS that loads fonts: `@font-face` and `@import` rules. */
  readonly css?: { readonly fonts?: string | undefined } | undefined;
}

/** The facts about a host that a view gets. Every property may be missing. */
export interface HostContext {
  /** Properties of later versions. */
  readonly [name: string]: unknown;
  /** The tool whose call the view shows. */
  readonly toolInfo?: { readonly id?: RequestId | undefined; readonly tool: Tool } | undefined;
  readonly theme?: "light" | "dark" | undefined;
  readonly styles?: HostStyles | undefined;
  readonly displayMode?: DisplayMode | undefined;
  readonly availableDisplayModes?: readonly DisplayMode[] | undefined;
  readonly containerDimensions?: ContainerDimensions | undefined;
  /** BCP 47: `en-US`. */
  readonly locale?: string | undefined;
  /** IANA: `Europe/Berlin`. */
  readonly timeZone?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly platform?: "web" | "desktop" | "mobile" | undefined;
  readonly deviceCapabilities?: {
    readonly touch?: boolean | undefined;
    readonly hover?: boolean | undefined;
  };
  /** Pixels at the edges that the device covers. */
  readonly safeAreaInsets?: {
    readonly top: number;
    readonly right: number;
    readonly bottom: number;
    readonly left: number;
  };
}
