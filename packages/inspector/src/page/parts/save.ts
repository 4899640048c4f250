import { request } from "../api.ts";
import { server } from "../servers.ts";

/**
 * Saves an export of the session with a server as a file.
 *
 * @param seq - The line of the call that becomes a test.
 * @param of - Default: the server that the page shows.
 */
export async function save(
  format: "jsonl" | "har" | "html" | "test",
  seq?: number,
  of = server.peek(),
): Promise<void> {
  const search = new URLSearchParams({ format, server: of });
  if (seq !== undefined) {
    search.set("seq", String(seq));
  }
  const response = await request(`export?${search.toString()}`);
  const name = /filename="([^"]+)"/.exec(response.headers.get("content-disposition") ?? "")?.[1];
  saveBlob(await response.blob(), name ?? `session.${format}`);
}

/** Saves a blob as a file. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
