import type { VNode } from "preact";

import type { Verdict } from "../../wire/verdict.ts";

const signs: Readonly<Record<Verdict["verdict"], readonly [sign: string, style: string]>> = {
  ok: ["✓ ok", "ok"],
  problem: ["✕ problem", "error"],
  note: ["· note", ""],
};

/** A verdict in a sign, a word and a color. */
export function VerdictMark({ verdict }: Pick<Verdict, "verdict">): VNode {
  const [sign, style] = signs[verdict];
  return <span class={`status ${style}`}>{sign}</span>;
}

/** Rules with their verdicts, as a table. */
export function Verdicts({ verdicts, caption }: { verdicts: readonly Verdict[]; caption: string }): VNode {
  return (
    <table>
      <caption>{caption}</caption>
      <thead>
        <tr>
          {["rule", "verdict", "found"].map((title) => (
            <th key={title} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {verdicts.map((one) => (
          <tr key={one.rule}>
            <th scope="row">{one.rule}</th>
            <td>
              <VerdictMark verdict={one.verdict} />
            </td>
            <td>{one.found}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
