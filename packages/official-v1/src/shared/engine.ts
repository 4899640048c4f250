/**
 * Puts Tenon's engine in the place of the official one, once for each process: four methods of the
 * official `Protocol` are replaced. All classes that extend it, in the official package and in
 * programs, then use the new methods.
 *
 * @packageDocumentation
 */

import { Protocol, type NotificationOptions, type RequestOptions } from "mcp-sdk-1/shared/protocol.js";
import type { Transport } from "mcp-sdk-1/shared/transport.js";

import {
  extendOnce,
  hooks,
  identityOf,
  replace,
  type Internals,
  type Named,
  type Schema,
} from "./internals.ts";
import { Link } from "./link.ts";
import "./quick-parse.ts";

const prototype = Protocol.prototype as unknown as Internals;

const { links, owners } = extendOnce(prototype, "engine", () => {
  const tables = { links: new WeakMap<Internals, Link>(), owners: new WeakMap<object, Internals>() };
  extend(tables);
  return tables;
});

/** The connection that a protocol has, or had last. */
export function linkOf(protocol: Internals): Link | undefined {
  return links.get(identityOf(protocol));
}

/** The protocol that is connected to a transport. */
export function ownerOf(transport: object): Internals | undefined {
  return owners.get(transport);
}

interface Tables {
  readonly links: WeakMap<Internals, Link>;
  readonly owners: WeakMap<object, Internals>;
}

function extend({ links: linksOfAll, owners: ownersOfAll }: Tables): void {
  const { request: requestOfTask, notification: notificationOfTask } = prototype;
  replace(prototype, {
    async connect(this: Internals, transport: Transport): Promise<void> {
      if (this._transport !== undefined) {
        throw new Error(
          "Already connected to a transport. Call close() before connecting to a new transport, or use a separate Protocol instance per connection.",
        );
      }
      this._transport = transport;
      const self = identityOf(this);
      ownersOfAll.set(transport, self);
      const link = new Link(self, transport);
      linksOfAll.set(self, link);
      await link.open();
    },

    async close(this: Internals): Promise<void> {
      if (this._transport !== undefined) {
        await linkOf(this)?.close();
      }
    },

    request(this: Internals, request: Named, schema: Schema, options: RequestOptions = {}): Promise<unknown> {
      // Requests about tasks travel on the official code, whose queues they need.
      if (options.task !== undefined || options.relatedTask !== undefined) {
        return requestOfTask.call(this, request, schema, options);
      }
      const taken = this[hooks]?.request?.(identityOf(this), request, schema, options);
      if (taken !== undefined) {
        return taken;
      }
      const link = this._transport === undefined ? undefined : linkOf(this);
      return link === undefined
        ? Promise.reject(new Error("Not connected"))
        : link.request(request, schema, options);
    },

    async notification(
      this: Internals,
      notification: Named,
      options: NotificationOptions = {},
    ): Promise<void> {
      if (options.relatedTask !== undefined) {
        await notificationOfTask.call(this, notification, options);
        return;
      }
      const taken = this[hooks]?.notify?.(identityOf(this), notification);
      if (taken !== undefined) {
        await taken;
        return;
      }
      const link = this._transport === undefined ? undefined : linkOf(this);
      if (link === undefined) {
        throw new Error("Not connected");
      }
      this.assertNotificationCapability(notification.method);
      await link.notification(notification, options);
    },
  });
}
