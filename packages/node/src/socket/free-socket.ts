import { lstatSync, unlinkSync, type Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { connect } from "node:net";
import { dirname } from "node:path";

/**
 * Makes the path of a socket free. A socket that a process left behind is removed; anything else
 * stays.
 *
 * @throws If the path is in use, or its directory lets all users replace files.
 */
export async function freeSocket(socket: string): Promise<void> {
  await checkFolder(dirname(socket));
  const found = entryAt(socket);
  if (found === undefined) {
    return;
  }
  if (!found.isSocket()) {
    throw new Error(`${socket} exists and is not a socket, so it is not replaced. Choose another path.`);
  }
  if (found.uid !== process.getuid?.()) {
    throw new Error(
      `The socket ${socket} belongs to another user (${found.uid}), so it is not replaced. Choose another path.`,
    );
  }
  if (await isServed(socket)) {
    throw Object.assign(
      new Error(`A process listens on the socket ${socket}. Stop it, or choose another path.`),
      { code: "EADDRINUSE" },
    );
  }
  // Another process may have replaced the socket in the meantime.
  if (entryAt(socket)?.ino === found.ino) {
    unlinkSync(socket);
  }
}

async function checkFolder(folder: string): Promise<void> {
  const { mode } = await stat(folder);
  const isSticky = (mode & 0o1000) !== 0;
  if ((mode & 0o002) !== 0 && !isSticky) {
    throw new Error(
      `All users may replace files in ${folder}, and so the socket. Choose a directory of this user, such as $XDG_RUNTIME_DIR.`,
    );
  }
}

function entryAt(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false });
}

/** Whether a process accepts connections. Rejects if that is not certain. */
function isServed(socket: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const probe = connect({ path: socket });
    probe.on("connect", () => {
      probe.destroy();
      resolve(true);
    });
    probe.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ECONNREFUSED" || error.code === "ENOENT") {
        resolve(false);
      } else if (error.code === "EAGAIN") {
        // Its queue of connections is full.
        resolve(true);
      } else {
        reject(error);
      }
    });
  });
}
