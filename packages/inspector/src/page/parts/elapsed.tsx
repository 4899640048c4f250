import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";

/** The seconds since a wait began, from the third on. Screen readers do not read them. */
export function Elapsed(): VNode {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const start = performance.now();
    const timer = setInterval(() => setSeconds(Math.round((performance.now() - start) / 1000)), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span aria-hidden="true">{seconds < 3 ? "" : ` ${seconds} s`}</span>;
}
