import type { CommandGroup } from "./command/spec.ts";
import { act } from "./table/act.ts";
import { check } from "./table/check.ts";
import { keep } from "./table/keep.ts";
import { look } from "./table/look.ts";
import { record } from "./table/record.ts";
import { serve } from "./table/serve.ts";
import { ship } from "./table/ship.ts";

const completionHint =
  'eval "$(tenon completion bash)" in the configuration of your shell, or with zsh, fish or powershell';

/** All commands, in the order of the help text. */
export const groups: readonly CommandGroup[] = [
  { title: "Look", commands: look },
  { title: "Act", commands: act },
  { title: "Connect", commands: keep },
  { title: "Serve", commands: serve },
  { title: "Record", commands: record },
  { title: "Check", commands: check },
  { title: "Ship", commands: ship },
  {
    title: "More",
    commands: [
      {
        name: "completion",
        summary: "print the completion script of a shell: bash, zsh, fish or powershell",
        operands: [
          { name: "shell", hint: completionHint },
          { name: "typed", isOptional: true },
        ],
        examples: [
          'eval "$(tenon completion bash)"',
          "tenon completion fish > ~/.config/fish/completions/tenon.fish",
        ],
        load: () => import("./commands/completion.ts"),
      },
      {
        name: "version",
        summary: "print the versions of this program, of Node and of the protocol",
        examples: ["tenon version --json"],
        load: () => import("./commands/version.ts"),
      },
    ],
  },
];
