import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../../packages/server/src/dev/run.ts";
import { SCENARIOS } from "../../../packages/server/src/dev/scenarios.ts";
import { verifyWebhook } from "../../../src/partner-client/verify-webhook.ts";
import { startBff, type TestBff } from "../../start-bff.ts";

let bff: TestBff;
let folder = "";
beforeAll(async () => {
  bff = await startBff();
  folder = await mkdtemp(join(tmpdir(), "aapd-dev-"));
  expect((await aapdDev("sandbox", "--api", bff.orderApi, "--origin", "http://127.0.0.1:3000")).code).toBe(0);
});
afterAll(async () => {
  await bff.close();
  await rm(folder, { recursive: true });
});

async function aapdDev(...args: string[]) {
  let out = "";
  let errors = "";
  const code = await run(args, {
    folder,
    signal: new AbortController().signal,
    write: (text) => {
      out += text;
    },
    writeError: (text) => {
      errors += text;
    },
  });
  return { code, out, errors };
}

/** A command's JSON. */
async function json(...args: string[]) {
  const { code, out, errors } = await aapdDev(...args, "--json");
  expect([code, errors]).toEqual([0, ""]);
  return JSON.parse(out);
}

/** A partner's receiver: its requests and its answer. */
async function startReceiver(secret: string, statusOf: (tries: number) => number) {
  const events: string[] = [];
  let tries = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      tries += 1;
      const status = statusOf(tries);
      if (status === 204) {
        const event = verifyWebhook(Buffer.concat(chunks), request.headers, secret);
        if (event !== null) events.push(event.event);
      }
      response.writeHead(status).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  return { url, events, close: () => server.close() };
}

describe("aapd-dev", () => {
  it("stores its keys where only their owner can read them and git ignores them, and reuses them", async () => {
    const file = join(folder, ".aapd/sandbox.json");
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(join(folder, ".aapd/.gitignore"), "utf8")).toBe("*\n");
    const kept = JSON.parse(await readFile(file, "utf8"));
    expect((await json("sandbox", "--api", bff.orderApi)).provider).toEqual(kept.provider);
    expect(await json("env")).toMatchObject({ ORDER_API: bff.orderApi, CLIENT_SECRET: kept.credentials.client_secret });
  });

  it("says what to do without keys, and for an unknown scenario or duration", async () => {
    const empty = await run(["trigger", "paid"], {
      folder: tmpdir(),
      signal: new AbortController().signal,
      write: () => undefined,
      writeError: (text) => expect(text).toBe("There are no keys in this folder. Get some: aapd-dev sandbox\n"),
    });
    expect(empty).toBe(1);
    expect(await aapdDev("trigger", "no_such")).toMatchObject({
      code: 1,
      errors: expect.stringContaining("latest_day"),
    });
    expect(await aapdDev("clock", "soon")).toMatchObject({ code: 2, errors: expect.stringContaining("+45d") });
  });

  const ends: Record<string, { refusal?: string; status: string; collection?: string; refund?: string }> = {
    paid: { status: "paid" },
    card_declined: { refusal: "card_declined", status: "pending" },
    identity_rejected: { refusal: "identity_rejected", status: "pending" },
    credit_refused: { refusal: "credit_declined", status: "pending" },
    refunded: { status: "refunded", refund: "succeeded" },
    refund_failed: { status: "paid", refund: "failed" },
    chargeback: { status: "paid" },
    approved: { status: "paid", collection: "collected" },
    access_blocked: { status: "paid", collection: "collected" },
    latest_day: { status: "paid", collection: "collected" },
    // Charged on the same day as `approved`, declined, and to be tried again.
    later_charge_declined: { status: "paid", collection: "scheduled" },
    receipt_missing: { status: "paid", collection: "scheduled" },
  };

  // In the short check: e2e/tests/scenarios.spec.ts.
  it.each(SCENARIOS)("trigger $name: $ends", { tags: ["long"] }, async ({ name }) => {
    const { refusal, order } = await json("trigger", name);
    const { status, collection, refunds } = order;
    const seen = { refusal: refusal ?? undefined, status, collection: collection?.status, refund: refunds[0]?.status };
    expect(seen).toMatchObject(ends[name] ?? { status: "named in this test" });
  });

  it("forwards new events with a signature that the receiver verifies", async () => {
    await json("trigger", "paid");
    const { WEBHOOK_SECRET } = await json("env");
    const receiver = await startReceiver(WEBHOOK_SECRET, (tries) => (tries === 1 ? 503 : 204));
    const listening = aapdDev("listen", "--forward-to", receiver.url, "--events", "1", "--from-start", "--json");
    await expect(listening).resolves.toMatchObject({ code: 0 });
    const verdict = JSON.parse((await listening).out);
    expect(verdict).toMatchObject({ event: receiver.events[0], status: 204, accepted: true, tries: 2 });
    expect(receiver.events).toHaveLength(1);
    receiver.close();
  });

  it("ends with 1, and names the usual cause, if the receiver refuses the signature", async () => {
    await json("trigger", "paid");
    const receiver = await startReceiver("another", () => 401);
    const { code, out } = await aapdDev("listen", "--forward-to", receiver.url, "--events", "1", "--from-start");
    expect([code, out]).toEqual([1, expect.stringContaining("raw bytes")]);
    receiver.close();
  });

  it("moves and reads only its tenant's clock", async () => {
    const before = await json("clock");
    const after = await json("clock", "+1d12h");
    expect(after.ahead_seconds - before.ahead_seconds).toBe(129_600);
  });

  it("shows refused calls with the reason, and none of their content", async () => {
    const { ORDER_API, CLIENT_SECRET } = await json("env");
    const headers = { authorization: `Bearer ${CLIENT_SECRET}`, "content-type": "application/json" };
    const body = JSON.stringify({ reference: "una-venta", total_amount: "mucho", customer: { rut: "11.111.111-9" } });
    const answer = await fetch(`${ORDER_API}/orders`, { method: "POST", headers, body });
    const { out } = await aapdDev("logs", "--refused");
    const [line] = out.split("\n").filter((one) => one.includes(answer.headers.get("x-request-id") ?? "none"));
    expect(line).toMatch(/ 422 POST \/orders validation_error in .*total_amount/);
    expect(out).not.toMatch(/una-venta|mucho|11\.111/);
    expect((await json("logs")).length).toBeGreaterThan((await json("logs", "--refused")).length);
  });

  it("opens a checkout that answers", async () => {
    const { url } = await json("open", "--amount", "45952", "--print");
    expect((await fetch(url)).status).toBe(200);
  });
});
