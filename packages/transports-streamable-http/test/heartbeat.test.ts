import { expect, test, vi } from "vitest";

import { Heartbeat } from "../src/server/heartbeat.ts";

test("a response whose heartbeat throws gets no more heartbeats, and stays among the responses in flight", () => {
  vi.useFakeTimers();
  try {
    const errors: unknown[] = [];
    const beats: string[] = [];
    const heartbeat = new Heartbeat(1000, (error) => errors.push(error));
    const broken = {
      place: -1,
      beat() {
        beats.push("broken");
        throw new Error("already sent");
      },
    };
    const sound = { place: -1, beat: () => void beats.push("sound") };
    heartbeat.add(broken);
    heartbeat.add(sound);
    vi.advanceTimersByTime(3000);
    expect(beats).toEqual(["broken", "sound", "sound", "sound"]);
    expect(errors).toHaveLength(1);
    expect([heartbeat.size, heartbeat.members()]).toEqual([2, [broken, sound]]);
    heartbeat.delete(broken);
    heartbeat.delete(sound);
    expect(heartbeat.size).toBe(0);
    vi.advanceTimersByTime(1000);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
