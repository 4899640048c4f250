import type { Invocation } from "../command/invocation.ts";
import { checkAuthorization } from "../doctor/explain-authorization.ts";
import { createFindings } from "../doctor/finding.ts";
import { exitCodes, usageError } from "../exit.ts";
import { checkReachable } from "../target/remote.ts";
import { resolveTarget } from "../target/resolve.ts";

/** Follows every step of the discovery of authorization, and prints a verdict for each. */
export async function run(invocation: Invocation): Promise<number> {
  const { printer } = invocation;
  const target = await resolveTarget(invocation);
  if (target.kind !== "server" || target.spec.type === "stdio") {
    throw usageError(`${target.label} is not a remote server.`, "name a URL");
  }
  checkReachable(target.label, target.spec, "A login");
  const findings = createFindings();
  const isProtected = await checkAuthorization(invocation, target.spec, findings);
  const failed = findings.all.some(({ status }) => status === "failed");
  const { style } = printer;
  printer.result({ ok: !failed, protected: isProtected, steps: findings.all }, () =>
    findings.all
      .flatMap(({ status, message, fix }) => [
        `${status === "ok" ? style.good("✓") : status === "failed" ? style.bad("✗") : style.warning("!")} ${message}`,
        ...(fix === undefined ? [] : [`    → ${fix}`]),
      ])
      .join("\n"),
  );
  return failed ? exitCodes.failed : exitCodes.ok;
}
