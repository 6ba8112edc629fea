import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, it } from "vitest";
import { webhookEndpoints } from "../../src/contract/webhook-endpoints.ts";
import { cancelledOrder } from "../cancelled-order.ts";
import { startBff, type TestBff } from "../start-bff.ts";

const GIGABYTE = 1024 ** 3;
const KEPT_BYTES = 4_096;
/** The bytes that the system buffers in the sockets of both sides after one of them stops reading. */
const ON_THE_WAY_BYTES = 16 * 1024 * 1024;
const MEMORY_BYTES = 64 * 1024 * 1024;

let bff: TestBff;
beforeAll(async () => {
  bff = await startBff();
});
afterAll(() => bff.close());

/** A receiver that sends this many bytes, as fast as they are read, and records how each answer ended. */
interface Streaming {
  readonly url: string;
  readonly answers: Promise<{ written: number; wasHungUpOn: boolean }>[];
  close(): Promise<void>;
}

async function startStreaming({ status, bytes }: { status: number; bytes: number }): Promise<Streaming> {
  const chunk = Buffer.alloc(64 * 1024, "x");
  const answers: Streaming["answers"] = [];
  const server: Server = createServer((request, response) => {
    request.resume();
    response.writeHead(status, { "content-length": bytes });
    let written = 0;
    const more = () => {
      while (written < bytes && !response.destroyed) {
        written += chunk.length;
        if (!response.write(chunk)) return;
      }
      if (written >= bytes) response.end();
    };
    response.on("drain", more);
    const ended = new Promise<void>((resolve) => response.once("close", resolve));
    answers.push(ended.then(() => ({ written, wasHungUpOn: !response.writableFinished })));
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, answers, close };
}

/** Reads an answer to its end, to show what a caller that does read would receive. */
async function bytesOf(url: string): Promise<number> {
  let bytes = 0;
  for await (const chunk of (await fetch(url, { method: "POST", body: "{}" })).body ?? []) bytes += chunk.length;
  return bytes;
}

it("the receiver of these tests sends everything that it announces to a client that reads it", async () => {
  const receiver = await startStreaming({ status: 200, bytes: 2 * ON_THE_WAY_BYTES });
  expect(await bytesOf(receiver.url)).toBe(2 * ON_THE_WAY_BYTES);
  expect(await receiver.answers[0]).toEqual({ written: 2 * ON_THE_WAY_BYTES, wasHungUpOn: false });
  await receiver.close();
});

it.each([
  { what: "a gigabyte", bytes: GIGABYTE, status: 200, outcome: "succeeded", delivery: "delivered" },
  { what: "a gigabyte", bytes: GIGABYTE, status: 500, outcome: "failed", delivery: "pending" },
  { what: "no end", bytes: Number.MAX_SAFE_INTEGER, status: 200, outcome: "succeeded", delivery: "delivered" },
])("the first 4 KB of an answer of $what with $status are stored, and the connection is closed", async (answers) => {
  const { status, bytes, outcome, delivery } = answers;
  const clinic = await bff.createProvider();
  const receiver = await startStreaming({ status, bytes });
  const made = { as: clinic, body: { url: receiver.url } };
  const { id } = (await bff.callSpotApi(webhookEndpoints.createWebhookEndpoint, made)).body;
  await cancelledOrder(bff, clinic);
  const before = process.memoryUsage();

  await bff.runDue();

  const after = process.memoryUsage();
  expect(receiver.answers).toHaveLength(1);
  const [answer] = await Promise.all(receiver.answers);
  expect(answer?.wasHungUpOn).toBe(true);
  expect(answer?.written).toBeLessThanOrEqual(ON_THE_WAY_BYTES);
  // Both sides run in this process, so the memory of either is counted here.
  expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(MEMORY_BYTES);
  expect(after.heapUsed - before.heapUsed).toBeLessThan(MEMORY_BYTES);
  const listed = await bff.callSpotApi(webhookEndpoints.listWebhookDeliveries, { as: clinic, params: { id } });
  expect(listed.body.deliveries).toMatchObject([
    { status: delivery, attempts: [{ number: 1, outcome, status, answer: "x".repeat(KEPT_BYTES) }] },
  ]);
  await receiver.close();
});
