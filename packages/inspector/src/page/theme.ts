import { effect, signal, type Signal } from "@preact/signals";

/** The themes, in the order of the switch. */
export const themes = ["system", "light", "dark"] as const;

/** A theme; `system` follows the setting of the system. */
export type Theme = (typeof themes)[number];

const key = "tenon-inspector-theme";

/** The theme that the person has chosen. */
export const theme: Signal<Theme> = signal(readTheme());

function readTheme(): Theme {
  const stored = globalThis.localStorage?.getItem(key);
  return themes.find((one) => one === stored) ?? "system";
}

/** Applies the theme now, and whenever it changes. */
export function followTheme(): void {
  effect(() => {
    document.documentElement.style.colorScheme = theme.value === "system" ? "light dark" : theme.value;
    localStorage.setItem(key, theme.value);
  });
}

/** The theme that is drawn. */
export function drawnTheme(): "light" | "dark" {
  const { value } = theme;
  return value !== "system" ? value : matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}
