// Which modules of a package share a file. Each entry is a file of its own; what several entries load is put together here, because the bundler alone makes a file for
// every set of entries and lazy modules, and Node spends about as long on finding and opening a file as on reading `fileCost` bytes.
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";

const fileCost = 20 * 1024;
/** A file of up to so many bytes may be loaded at once by those who would load it later. */
const small = 4 * 1024;
/** The main entry counts for so many others: most programs load it, and with it what they need of the others. */
const mainWeight = 3;
/** Entries for tests and tools do not count: their programs need no quick start. */
const uncounted = new Set(["generate", "typescript"]);
/** The entry of this name exists to leave out the rest of the main entry, if that loads it. It never reads the rest in vain, and does not count of its own. */
const part = "core";
/** What an entry reads in vain that is there to start fast counts for so many others. */
const quickWeight = 2;

/**
 * The name of the file of each module that is to share one.
 *
 * @param {string} src - The folder of the sources.
 * @param {readonly string[]} entries - As paths in it, without their extension.
 * @param {readonly string[]} sources - All modules, in the same way.
 * @param {boolean} hasEffects - Whether modules do something when they run: then an entry loads none that it does not need.
 * @returns {ReadonlyMap<string, string>}
 */
export function sharedFiles(src, entries, sources, hasEffects = false) {
  const texts = new Map(sources.map((source) => [source, readFileSync(join(src, `${source}.ts`), "utf8")]));
  const imports = new Map([...texts].map(([source, text]) => [source, importedBy(source, text, atOnce)]));
  const allImports = new Map(
    [...texts].map(([source, text]) => [source, importedBy(source, text, everywhere)]),
  );
  const usersBy = (table) => {
    const loads = entries.map((entry) => loadedWith(entry, table));
    return (source) => new Set(entries.filter((_, index) => loads[index].has(source)));
  };
  const externals = new Map([...texts].map(([source, text]) => [source, packagesOf(text)]));
  /** The packages that the main entry loads, whichever file its modules are in. */
  const loaded = new Set([...loadedWith("index", imports)].flatMap((source) => externals.get(source) ?? []));
  const usersOf = usersBy(imports);
  const allUsersOf = usersBy(allImports);

  // Code that is loaded later would import these modules from the file of their only entry, which would have to export them.
  const laterModules = sources.filter((source) => usersOf(source).size === 0);
  const neededLater = new Set(laterModules.flatMap((source) => [...loadedWith(source, imports)]));

  /**
   * `later`: the entries that load one of its modules by `import()`, or what such a module imports.
   *
   * `packages`: what its modules import from other packages.
   *
   * @type {Map<string, { users: Set<string>, later: Set<string>, modules: Set<string>, packages: Set<string>, bytes: number, isLazy: boolean }>}
   */
  const bySet = new Map();
  for (const [source, text] of texts) {
    const users = usersOf(source);
    if (users.size > (neededLater.has(source) ? 0 : 1) && !entries.includes(source)) {
      const later = [...allUsersOf(source)].filter((user) => !users.has(user));
      const key = [...users, "|", ...later].join(" ");
      const file = bySet.get(key) ?? {
        users,
        later: new Set(later),
        modules: new Set(),
        packages: new Set(),
        bytes: 0,
        isLazy: false,
      };
      file.modules.add(source);
      externals.get(source)?.forEach((name) => file.packages.add(name));
      file.bytes += text.replace(/\/\*[^]*?\*\//g, "").length;
      file.isLazy ||= loadsLater.test(text);
      bySet.set(key, file);
    }
  }
  const quick = new Set(
    entries.filter((entry) =>
      [...loadedWith(entry, imports)].some((source) => loadsLater.test(texts.get(source) ?? "")),
    ),
  );
  const lean = imports.get("index")?.includes(part) === true ? part : undefined;
  let files = [...bySet.values()];
  const next = () => bestMerge(files, imports, { quick, loaded, lean, hasEffects });
  for (let better = next(); better !== undefined; better = next()) {
    files = better;
  }
  return new Map(
    files.flatMap(({ modules }, index) => [...modules].map((name) => [name, `common-${index + 1}`])),
  );
}

const loadsLater = /(?<!typeof )\bimport\("/;
const atOnce = /^(?:import|export)\b(?! type\b)[^;"]*?"(\.[^"]+)\.ts";/gm;
const fromPackage = /^(?:import|export)\b(?! type\b)(?:([^;"]*?)\bfrom)?\s*"([^.#"][^"]*)";/gm;
const onlyTypes = /^\s*\{(?:\s*type\s+\w+(?:\s+as\s+\w+)?,?)*\s*\}\s*$/;
const everywhere = /(?:^(?:import|export)\b(?! type\b)[^;"]*?|(?<!typeof )\bimport\()"(\.[^"]+)\.ts"/gm;

/** The modules of this package that a module imports, other than types. */
function importedBy(source, text, pattern) {
  return [...text.matchAll(pattern)].map(([, path]) => posix.join(posix.dirname(source), path));
}

/** The packages that a module imports, other than for types. */
function packagesOf(text) {
  return [...text.matchAll(fromPackage)].flatMap(([, names = "", path]) =>
    onlyTypes.test(names) ? [] : [path.split("/", path.startsWith("@") ? 2 : 1).join("/")],
  );
}

function loadedWith(entry, imports) {
  const loaded = new Set([entry]);
  for (const source of loaded) {
    (imports.get(source) ?? []).forEach((other) => loaded.add(other));
  }
  return loaded;
}

/** The files with those two in one whose merger saves most; `undefined` if none saves anything. */
function bestMerge(files, imports, traits) {
  const candidates = files.flatMap((one, index) =>
    files.slice(index + 1).map((other) => ({ one, other, gain: gainOf(one, other, traits) })),
  );
  for (const { one, other, gain } of candidates.toSorted((a, b) => b.gain - a.gain)) {
    if (gain <= 0) {
      return undefined;
    }
    const merged = {
      users: new Set([...one.users, ...other.users]),
      later: new Set(
        [...one.later, ...other.later].filter((user) => !one.users.has(user) && !other.users.has(user)),
      ),
      modules: new Set([...one.modules, ...other.modules]),
      packages: new Set([...one.packages, ...other.packages]),
      bytes: one.bytes + other.bytes,
      isLazy: one.isLazy || other.isLazy,
    };
    const next = [...files.filter((file) => file !== one && file !== other), merged];
    if (!hasCycle(next, imports)) {
      return next;
    }
  }
  return undefined;
}

/**
 * Entries that need both save a file; those that need one of them read the other in vain. Nobody reads in vain what it loads later, or what itself loads modules
 * later: bundlers would put all of that into the first file of a program. What is read in vain counts for more in an entry that loads modules later (one of `quick`),
 * because it is there to be small. And the main entry loads no package that it does not need. Modules that an entry loads later do not share a file with much that it does
 * not need at all.
 */
function gainOf(one, other, { quick, loaded, lean, hasEffects }) {
  const weightOf = (users) =>
    users.reduce(
      (sum, user) => sum + (user === "index" ? mainWeight : uncounted.has(user) || user === lean ? 0 : 1),
      0,
    );
  const both = [...one.users].filter((user) => other.users.has(user));
  const readInVain = (file, users) => {
    const readers = [...users].filter((user) => !file.users.has(user));
    const needsMore = (user) => user === "index" && [...file.packages].some((name) => !loaded.has(name));
    const leavesOut = (user) => file.later.has(user) || (user === lean && file.users.has("index"));
    const needsLater = (user) => file.bytes > small && leavesOut(user);
    const isBad = hasEffects || file.isLazy || readers.some((user) => needsLater(user) || needsMore(user));
    const quickReaders = readers.filter((user) => quick.has(user));
    return readers.length > 0 && isBad
      ? Infinity
      : (weightOf(readers) + quickWeight * quickReaders.length) * file.bytes;
  };
  const readLater = (file, { users, later }) =>
    weightOf(
      [...later].filter((user) => !users.has(user) && !file.users.has(user) && !file.later.has(user)),
    ) * file.bytes;
  return (
    weightOf(both) * fileCost -
    readInVain(other, one.users) -
    readInVain(one, other.users) -
    readLater(other, one) -
    readLater(one, other)
  );
}

/** Files that import each other would run before what they import is there. */
function hasCycle(files, imports) {
  const fileOf = new Map(files.flatMap((file) => [...file.modules].map((name) => [name, file])));
  const nodeOf = (source) => fileOf.get(source) ?? source;
  const next = new Map();
  for (const [source, others] of imports) {
    const targets = others.map(nodeOf).filter((target) => target !== nodeOf(source));
    next.set(nodeOf(source), [...(next.get(nodeOf(source)) ?? []), ...targets]);
  }
  const state = new Map();
  const visit = (node) => {
    if (state.has(node)) {
      return state.get(node) === "open";
    }
    state.set(node, "open");
    const found = (next.get(node) ?? []).some(visit);
    state.set(node, "done");
    return found;
  };
  return [...next.keys()].some(visit);
}
