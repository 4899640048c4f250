import type { HostContext } from "../wire/context.ts";
import { page } from "./page.ts";

const fontsId = "tenon-host-fonts";

/**
 * Applies the theme, the style variables and the fonts of a host to the document: `data-theme`,
 * `color-scheme` and the variables of the root element, and a style element for the fonts. Use it
 * as `onContext`. Properties that a host does not set keep the values of the view's own style.
 */
export function applyHostStyles({ theme, styles }: HostContext): void {
  const { document } = page;
  const { documentElement: root, head } = document;
  if (theme === "light" || theme === "dark") {
    root.dataset["theme"] = theme;
    root.style.colorScheme = theme;
  }
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (name.startsWith("--") && typeof value === "string") {
      root.style.setProperty(name, value);
    }
  }
  const fonts = styles?.css?.fonts;
  if (typeof fonts === "string") {
    let style = document.getElementById(fontsId);
    if (style === null) {
      style = document.createElement("style");
      style.id = fontsId;
      head.append(style);
    }
    style.textContent = fonts;
  }
}
