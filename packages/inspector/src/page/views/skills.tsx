import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

import type { SkillFileReport, SkillList } from "../../wire/verdict.ts";
import { act } from "../api.ts";
import { asSchema, decoded, text as textOf, type Schema } from "../form/shape.ts";
import { size } from "../format.ts";
import { Empty } from "../parts/empty.tsx";
import { VerdictMark } from "../parts/verdicts.tsx";
import { say, state, isOpen as isSessionOpen } from "../store.ts";

/** How many characters of a file are shown. */
const maxShown = 200_000;

interface Entry {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  /** The files with their sizes. `undefined` for a dynamic skill. */
  readonly files: readonly { readonly uri: string; readonly size: number }[] | undefined;
}

function entryOf(skill: object): Entry {
  const { uri, frontmatter, resources } = asSchema(skill);
  const { name, description } = asSchema(frontmatter);
  return {
    uri: textOf(uri),
    name: textOf(name),
    description: textOf(description),
    files: Array.isArray(resources)
      ? (resources as readonly Schema[]).map((file) => ({
          uri: textOf(file["uri"]),
          size: Number(file["size"]),
        }))
      : undefined,
  };
}

/** The path of a file in its skill. */
function pathIn({ uri }: Entry, file: string): string {
  return decoded(file.slice(uri.lastIndexOf("/") + 1));
}

function File({ report }: { report: SkillFileReport }): VNode {
  const { uri, mimeType, text, bytes, verdict } = report;
  return (
    <section class="outcome" aria-label={`File ${uri}`}>
      <p class="facts" role="status">
        <code>{uri}</code>
        {mimeType !== undefined && <span>{mimeType}</span>}
        {bytes !== undefined && <span>{size(bytes)}</span>}
        <VerdictMark verdict={verdict.verdict} />
      </p>
      <p class={verdict.verdict === "problem" ? "problem" : "dim"}>{verdict.found}</p>
      {text !== undefined && (
        <div class="json">
          <pre class="raw" tabIndex={0} role="region" aria-label={`Text of ${uri}`}>
            {text.slice(0, maxShown)}
          </pre>
          {text.length > maxShown && <p class="dim">{text.length - maxShown} further characters.</p>}
        </div>
      )}
    </section>
  );
}

function Skill({ entry }: { entry: Entry }): VNode {
  const [report, setReport] = useState<SkillFileReport>();
  const read = async (path: string | undefined): Promise<void> => {
    const action = { do: "skill", uri: entry.uri, ...(path === undefined ? {} : { path }) } as const;
    setReport((await act(action)) as SkillFileReport);
  };
  return (
    <section class="card" aria-label={entry.name}>
      <h3>
        {entry.name} <code class="dim">{entry.uri}</code>
      </h3>
      <p class="description">{entry.description}</p>
      {entry.files === undefined ? (
        <p class="new">
          <span class="tag">dynamic</span>
          <button type="button" onClick={() => void read(undefined).catch(say)}>
            Read SKILL.md
          </button>
        </p>
      ) : (
        <ul class="files" aria-label={`Files of ${entry.name}`}>
          {entry.files.slice(0, 512).map((file) => {
            const path = pathIn(entry, file.uri);
            return (
              <li key={file.uri}>
                <button
                  type="button"
                  onClick={() => void read(file.uri === entry.uri ? undefined : path).catch(say)}
                >
                  Read {path} <span class="dim">{size(file.size)}</span>
                </button>
              </li>
            );
          })}
        </ul>
      )}
      {report !== undefined && <File report={report} />}
    </section>
  );
}

/** The skills of the server: their entries, their files, and whether the files are the listed ones. */
export function Skills(): VNode {
  const [list, setList] = useState<SkillList>();
  const isOpen = isSessionOpen.value;
  const capability = asSchema(state.value?.source.serverCapabilities?.["extensions"]);
  const offers = Object.hasOwn(capability, "io.modelcontextprotocol/skills");
  const load = async (): Promise<void> => setList((await act({ do: "skills" })) as SkillList);
  useEffect(() => {
    if (isOpen && offers) {
      load().catch(say);
    }
  }, [isOpen, offers]);
  return (
    <div class="page">
      <h2>Skills</h2>
      {!offers && (
        <Empty title="The server declares no skills.">
          Skills are folders of instructions for models. A server that has the extension for skills lists
          them, and their files are compared with their digests here.
        </Empty>
      )}
      {offers && isOpen && (
        <p class="new">
          <button type="button" onClick={() => void load().catch(say)}>
            List the skills again
          </button>
        </p>
      )}
      {list?.problems.map((problem) => (
        <p key={problem} class="problem">
          {problem}
        </p>
      ))}
      {list?.skills.length === 0 && <p class="dim">The server lists no skill.</p>}
      {list?.skills.map(entryOf).map((entry) => (
        <Skill key={entry.uri} entry={entry} />
      ))}
    </div>
  );
}
