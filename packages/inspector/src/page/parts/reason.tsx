import type { VNode } from "preact";

/** Why something failed: the first line, and behind it what a program wrote, which can be long. */
export function Reason({ text }: { text: string }): VNode {
  const [first = "", ...others] = text.split("\n");
  const isProgram = first.endsWith("Its last words:");
  return (
    <>
      <span class="plain">{first.replace(/ ?Its last words:$/, "")}</span>
      {others.length > 0 && (
        <details>
          <summary>{isProgram ? "The last lines that the program has written" : "More"}</summary>
          <pre class="plain">{others.join("\n")}</pre>
        </details>
      )}
    </>
  );
}
