import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Does work in a folder that is gone afterwards. */
export async function inTemporaryFolder<R>(work: (folder: string) => Promise<R>): Promise<R> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "tenon-")));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}
