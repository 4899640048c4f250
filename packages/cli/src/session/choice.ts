import { autocomplete, isCancel, select } from "@clack/prompts";

import { visibleLine } from "../output/escape.ts";
import { cutTo } from "../output/width.ts";
import { Interrupted } from "../shell.ts";
import { inTurn, output, until } from "./prompt.ts";

/** A choice of a person. Others may have written its text. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string | undefined;
}

/** The choices that are shown at once. */
const maxItems = 12;
/** A person finds one of more choices by typing a part of it. */
const maxWithoutSearch = 5;
/** Columns next to the label of a choice. */
const besideLabel = 8;

/**
 * Prompts for one of several choices.
 *
 * @returns The value of the choice.
 * @throws `Interrupted` if the person gives up.
 */
export async function askChoice(
  message: string,
  choices: readonly Choice[],
  signal: AbortSignal,
): Promise<string> {
  const columns = Math.max((output.columns ?? 80) - besideLabel, besideLabel);
  const options = choices.map(({ value, label, hint = "" }) => ({
    value,
    label: cutTo(visibleLine(label), columns),
    hint: cutTo(visibleLine(hint), columns),
  }));
  const texts = new Map(
    choices.map(({ value, label, hint = "" }) => [value, visibleLine(`${label} ${hint}`).toLowerCase()]),
  );
  const chosen = await inTurn(signal, () =>
    until(signal, (own) =>
      options.length > maxWithoutSearch
        ? autocomplete({
            message,
            options,
            maxItems,
            // By default the values are searched as well, although they are not shown.
            filter: (search, { value }) => texts.get(value)?.includes(search.toLowerCase()) === true,
            validate: (value) => (value === undefined ? "Nothing matches. Change the search." : undefined),
            signal: own,
            output,
          })
        : select({ message, options, maxItems, signal: own, output }),
    ),
  );
  if (isCancel(chosen)) {
    throw new Interrupted();
  }
  return chosen;
}
