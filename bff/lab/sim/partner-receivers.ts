import * as z from "zod";
import { FetchFailed, type GuardedFetch, UrlRefused } from "../../src/platform/http/guarded-fetch.ts";
import type { InstanceLife } from "./instance-life.ts";
import type { SlowCalls } from "./instance-parties.ts";

/**
 * How a partner's receiver behaves: it accepts, is down, answers 500, accepts but its answer is lost, or accepts while
 * the sender pauses for so long that its leases expire.
 */
export const RECEIVER_MODES = ["up", "down", "failing", "answer_lost", "late"] as const;
export type ReceiverMode = (typeof RECEIVER_MODES)[number];

/** A delivery that a receiver got, and the mode that it was in. */
export interface Received {
  readonly at: Date;
  readonly eventId: string;
  readonly event: string;
  readonly orderId: string;
  readonly sequence: number;
  readonly status: string;
  readonly mode: ReceiverMode;
}

export interface PartnerReceiver {
  readonly url: string;
  mode: ReceiverMode;
  /** Everything received, oldest first. */
  readonly received: Received[];
}

export function createReceiver(number: number): PartnerReceiver {
  return { url: `https://partner-${number}.example.com/hook`, mode: "up", received: [] };
}

const bodySchema = z.object({
  event_id: z.string(),
  event: z.string(),
  order_hash: z.string(),
  sequence: z.number(),
  status: z.string(),
});

/** Sends an instance's webhooks directly to the partners' receivers. */
export function fetchReceivers(
  receivers: readonly PartnerReceiver[],
  life: InstanceLife,
  slow: SlowCalls,
): GuardedFetch {
  const find = (url: string) => receivers.find((receiver) => receiver.url === url);
  return {
    async fetch({ url, body }) {
      await life.pass("posts");
      const receiver = find(url);
      if (receiver === undefined) throw new UrlRefused("malformed");
      const { mode } = receiver;
      if (mode === "down") throw new FetchFailed("network");
      const received = bodySchema.parse(JSON.parse(Buffer.from(body ?? "").toString()));
      receiver.received.push({
        at: life.stage.clock.now(),
        eventId: received.event_id,
        event: received.event,
        orderId: received.order_hash,
        sequence: received.sequence,
        status: received.status,
        mode,
      });
      if (mode === "late") await slow.hold();
      await life.pass(`posted ${received.event} ${mode}`);
      if (mode === "answer_lost" || mode === "late") throw new FetchFailed("timeout");
      return { status: mode === "failing" ? 500 : 204, headers: {}, body: new Uint8Array() };
    },
    async check(url) {
      if (find(url) === undefined) throw new UrlRefused("malformed");
    },
    close: async () => undefined,
  };
}
