import type { ComponentChildren, VNode } from "preact";

/** A view or a part of it that has nothing yet: what it will show, and how to fill it. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }): VNode {
  return (
    <div class="nothing">
      <p>
        <strong>{title}</strong>
      </p>
      <div>{children}</div>
    </div>
  );
}
