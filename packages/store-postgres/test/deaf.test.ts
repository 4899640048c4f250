import { hasPostgres } from "@tenon/test-support/postgres";
import { startProxy } from "@tenon/test-support/proxy";
import { afterAll, expect, test, vi } from "vitest";

import { createNotifications } from "../src/listener.ts";
import { openStores } from "../src/stores.ts";
import { emptyServer, openPool, stopServer } from "./support.ts";

afterAll(stopServer);

test.skipIf(!hasPostgres)(
  "a subscriber that gave up gets no messages later (skipped without a server)",
  async () => {
    const server = await emptyServer();
    await using proxy = await startProxy(server.target);
    await using working = await startProxy(server.target);
    const pools = [openPool(server, proxy.port), openPool(server, working.port)] as const;
    const options = { channel: "tenon_test", onError: () => undefined };
    const stores = openStores(pools[0], { ...options, limits: { timeoutMs: 500 } });
    const other = openStores(pools[1], options);
    const heard: string[] = [];
    const listenerOf = (name: string) => ({
      message: (text: string) => void heard.push(`${name} ${text}`),
      gap: () => undefined,
    });
    proxy.hold();
    const failed = stores.bus.subscribe("x", listenerOf("gave up"));
    await expect(failed).rejects.toMatchObject({ code: "STORE_FAILED" });
    proxy.restore();
    await vi.waitFor(() => stores.bus.subscribe("x", listenerOf("waits")));
    await other.bus.publish("x", "1");
    await vi.waitFor(() => expect(heard).toContain("waits 1"));
    expect(heard).toEqual(["waits 1"]);
    await stores.close();
    await other.close();
    await Promise.all(pools.map((pool) => pool.end()));
  },
);

test.skipIf(!hasPostgres)(
  "a listener whose connection loses all bytes listens on another one, and tells of the gap (skipped without a server)",
  async () => {
    const server = await emptyServer();
    await using proxy = await startProxy(server.target);
    await using working = await startProxy(server.target);
    const [pool, other] = [openPool(server, proxy.port), openPool(server, working.port)];
    const heard: string[] = [];
    const owner = {
      message: (payload: string) => void heard.push(payload),
      restored: () => void heard.push("restored"),
    };
    const notifications = createNotifications(pool, "tenon_deaf", owner, 1000);
    await notifications.start();
    await other.query("NOTIFY tenon_deaf, 'before'");
    await vi.waitFor(() => expect(heard).toEqual(["before"]));
    proxy.deafen();
    await other.query("NOTIFY tenon_deaf, 'lost'");
    await vi.waitFor(() => expect(heard).toContain("restored"));
    await other.query("NOTIFY tenon_deaf, 'after'");
    await vi.waitFor(() => expect(heard.at(-1)).toBe("after"));
    notifications.close();
    await Promise.all([pool.end(), other.end()]);
  },
);

test.skipIf(!hasPostgres)(
  "a notification that no store has sent is reported, and the next is heard (skipped without a server)",
  async () => {
    const server = await emptyServer();
    await using proxy = await startProxy(server.target);
    const pool = openPool(server, proxy.port);
    const onError = vi.fn();
    const stores = openStores(pool, { channel: "tenon_test", onError });
    const changed = vi.fn();
    await stores.tasks.watch(changed);
    await pool.query("NOTIFY tenon_test_task, 'hello'");
    await pool.query(`NOTIFY tenon_test_task, '{"id":"t_1","version":2}'`);
    await vi.waitFor(() => expect(changed).toHaveBeenCalledWith("t_1", 2));
    expect(onError.mock.calls).toMatchObject([
      [{ name: "SyntaxError", message: expect.stringContaining("hello") }],
    ]);
    await stores.close();
    await pool.end();
  },
);
