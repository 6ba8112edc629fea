import { afterAll, beforeAll, expect, it } from "vitest";
import { sandboxEndpoints } from "../../src/contract/sandbox-endpoints.ts";
import { webhookEndpoints } from "../../src/contract/webhook-endpoints.ts";
import { cancelledOrder } from "../cancelled-order.ts";
import { startBff, type TestBff } from "../start-bff.ts";
import { startReceiver, type WebhookReceiver } from "../webhook-receiver.ts";

const MINUTE_MS = 60_000;
/** The response time of the receiver. */
const ANSWER_MS = 7_000;

let bff: TestBff;
let receiver: WebhookReceiver;
beforeAll(async () => {
  bff = await startBff();
  receiver = await startReceiver(bff.clock);
});
afterAll(async () => {
  await receiver.close();
  await bff.close();
});

/** The clinic's own time, from the service. */
async function clinicTime(): Promise<number> {
  const { body } = await bff.callOrderApi(sandboxEndpoints.readSandboxClock, { as: bff.clinic });
  return Date.parse(body.now);
}

it("a partner that moves its sandbox clock by two hours receives all six attempts with their delays", async () => {
  const log: Array<{ arrived: number; answered: number }> = [];
  const note = async () => {
    const arrived = await clinicTime();
    bff.clock.advance(ANSWER_MS);
    log.push({ arrived, answered: await clinicTime() });
  };
  receiver.behave((response) => void note().then(() => response.writeHead(500).end("no")));
  const made = { as: bff.clinic, body: { url: receiver.url } };
  const { id } = (await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, made)).body;
  await cancelledOrder(bff, bff.clinic);
  const cancelledAt = await clinicTime();

  const moved = await bff.callOrderApi(sandboxEndpoints.moveSandboxClock, { as: bff.clinic, body: { advance: "2h" } });

  expect([moved.status, moved.body.remaining_seconds]).toEqual([200, 0]);
  const delays = log.map(({ arrived }, index) => (arrived - (log[index - 1]?.answered ?? cancelledAt)) / MINUTE_MS);
  expect(delays).toEqual([0, 1, 5, 15, 30, 60]);
  expect(new Set(receiver.received.map(({ body }) => body.event_id)).size).toBe(1);
  const listed = await bff.callSpotApi(webhookEndpoints.listWebhookDeliveries, { as: bff.clinic, params: { id } });
  const [delivery] = listed.body.deliveries;
  expect(delivery).toMatchObject({ status: "failed", next_attempt_at: null });
  const attempts: Array<{ started_at: string; duration_ms: number }> = delivery.attempts;
  expect(attempts.map(({ started_at }) => Date.parse(started_at))).toEqual(log.map(({ arrived }) => arrived));
  expect(attempts.map(({ duration_ms }) => duration_ms)).toEqual(log.map(() => ANSWER_MS));
});
