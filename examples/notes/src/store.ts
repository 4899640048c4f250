import { readFile, rename, writeFile } from "node:fs/promises";

/** One note. */
export interface Note {
  readonly id: number;
  readonly title: string;
  readonly body: string;
  readonly tags: readonly string[];
}

/**
 * Notes in a JSON file. Each change is written to a second file that then takes the place of the
 * first, so a crash leaves the old notes whole.
 */
export interface NoteStore {
  add(note: Omit<Note, "id">): Promise<Note>;
  /** @param tag - Only notes with this tag. */
  list(tag?: string): Promise<readonly Note[]>;
  /** The notes whose title or body contains `text`, upper and lower case alike. */
  search(text: string): Promise<readonly Note[]>;
}

/**
 * Opens the store. A missing file is an empty store; a broken one is an error, never overwritten.
 */
export function openStore(file: string): NoteStore {
  let last: Promise<unknown> = Promise.resolve();

  async function read(): Promise<readonly Note[]> {
    let content: string;
    try {
      content = await readFile(file, "utf8");
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") {
        return [];
      }
      throw error;
    }
    return JSON.parse(content) as readonly Note[];
  }

  async function append(note: Omit<Note, "id">): Promise<Note> {
    const notes = await read();
    const added: Note = { id: (notes.at(-1)?.id ?? 0) + 1, ...note };
    const next = `${file}.${process.pid}.tmp`;
    await writeFile(next, `${JSON.stringify([...notes, added], undefined, 2)}\n`);
    await rename(next, file);
    return added;
  }

  return {
    add(note) {
      // One change at a time: each starts from the result of the previous change.
      const added = last.then(() => append(note));
      last = added.catch(() => {});
      return added;
    },
    async list(tag) {
      const notes = await read();
      return tag === undefined ? notes : notes.filter(({ tags }) => tags.includes(tag));
    },
    async search(text) {
      const wanted = text.toLowerCase();
      const notes = await read();
      return notes.filter(({ title, body }) => `${title}\n${body}`.toLowerCase().includes(wanted));
    },
  };
}
