import { tellPage } from "./messages.ts";

/** Shows the lines that a program writes to the console in the page. */
export function forwardConsole(): void {
  for (const level of ["debug", "info", "log", "warn", "error"] as const) {
    const own = console[level].bind(console);
    console[level] = (...values: unknown[]) => {
      own(...values);
      tellPage({ kind: "line", text: values.map(written).join(" ") });
    };
  }
}

function written(value: unknown): string {
  if (typeof value === "string") {
    return value;
  }
  if (value instanceof Error) {
    return `${value.name}: ${value.message}`;
  }
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}
