import { areaOf, findHits, lineOf } from "./prose/hits.ts";
import { isEnforced, rules } from "./prose/rules.ts";

// `pnpm run prose` counts the hits of every rule; with names of rules, or the beginning of a path,
// it lists them.
const wanted = process.argv.slice(2);
const hits = findHits();

if (wanted.length === 0) {
  for (const rule of rules) {
    const count = hits.filter((hit) => hit.rule === rule).length;
    console.log(
      `${rule.id}  ${String(count).padStart(4)}  ${isEnforced(rule) ? "enforced" : "counted "}  ${rule.advice}`,
    );
  }
  for (const area of new Set(hits.map(({ path }) => areaOf(path)))) {
    const found = hits.filter(({ path }) => areaOf(path) === area);
    const enforced = found.filter(({ rule }) => isEnforced(rule)).length;
    console.log(`${area}: ${found.length} hits, ${enforced} of enforced rules`);
  }
} else {
  for (const hit of hits) {
    if (wanted.some((name) => hit.rule.id === name || hit.path.startsWith(name))) {
      console.log(lineOf(hit));
    }
  }
}
