/** One entry of a keychain: the key with which a {@link fileStore} seals its files. */
export interface Keychain {
  /**
   * Returns the secret, or `undefined` if the entry does not exist. Rejects if the keychain is not
   * available.
   */
  get(): Promise<string | undefined>;
  /** Writes the secret. */
  set(secret: string): Promise<void>;
}

/** The part of `@napi-rs/keyring` that is used. */
interface KeyringEntry {
  getPassword(): Promise<string | null | undefined>;
  setPassword(password: string): Promise<unknown>;
}

const service = "tenon-auth";
/** Not written as a literal in the import: bundlers would look for this optional peer. */
const keyring: string = "@napi-rs/keyring";

type EntryClass = new (service: string, account: string, options: object) => KeyringEntry;

/**
 * The keychain of the system, by the optional package `@napi-rs/keyring`. @param account - Names
 * the entry. @throws If the package is not installed.
 */
export async function systemKeychain(account: string): Promise<Keychain> {
  const { AsyncEntry } = (await import(keyring)) as { readonly AsyncEntry: EntryClass };
  // The other store of Linux is in memory: the key, and with it every login, would be lost when the
  // machine restarts.
  const entry = new AsyncEntry(service, account, { linux: { store: "secret-service" } });
  return {
    get: async () => (await entry.getPassword()) ?? undefined,
    set: async (secret) => void (await entry.setPassword(secret)),
  };
}
