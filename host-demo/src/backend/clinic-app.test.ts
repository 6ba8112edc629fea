import { createHmac } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AapdError } from "bff/partner-client/errors";
import type { PartnerClient } from "bff/partner-client/partner-client";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBench } from "./bench.ts";
import { type Clinic, createClinic } from "./clinic.ts";
import { createClinicApp } from "./clinic-app.ts";
import { openJournal } from "./journal.ts";
import { journalEntrySchema } from "./purchase.ts";
import { createSandbox } from "./sandbox.ts";
import { createWebhookManagement } from "./webhook-management.ts";
import { isSignedByService } from "./webhook-signature.ts";

const SECRET = "whsec_test";
const ORDER_HASH = "5b3c3f1e-6b1f-4a52-9d0f-0a4b7a2f7c11";

/** Replaces the service and records the clinic's calls. */
function recordingService() {
  const asked: { readonly call: string; readonly key: string | undefined }[] = [];
  const refuse = () => Promise.reject(new Error("not asked for in this test"));
  const client = {
    createOrder: (order: { reference: string }, options?: { idempotencyKey?: string }) => {
      asked.push({ call: "createOrder", key: options?.idempotencyKey });
      return Promise.resolve({ hash: ORDER_HASH, reference: order.reference });
    },
    mintWidgetToken: () => {
      asked.push({ call: "mintWidgetToken", key: undefined });
      return Promise.resolve({ url: "https://widget.example/?widget_token=t", expires_at: "2026-11-21T13:00:00.000Z" });
    },
    submitExpense: (expense: { orderHash?: string }) => {
      asked.push({ call: "submitExpense", key: expense.orderHash });
      return Promise.resolve({ id: "exp-1", status: "received", created: true });
    },
    getOrder: refuse,
    refundOrder: refuse,
    cancelOrder: refuse,
    isUserSubscribed: refuse,
  };
  // Only the calls that these tests need are implemented.
  return { asked, client: client as unknown as PartnerClient };
}

let folder = "";
let logged: string[] = [];
let stop: () => void = () => undefined;
beforeEach(async () => {
  logged = [];
  folder = await mkdtemp(join(tmpdir(), "clinic-"));
  await writeFile(join(folder, "index.html"), "<!doctype html><title>x</title>");
});
afterEach(async () => {
  stop();
  await rm(folder, { recursive: true });
});

async function startApp(
  service: PartnerClient,
  serviceUrl = "http://127.0.0.1:9",
): Promise<{ url: string; clinic: Clinic }> {
  const journal = await openJournal(join(folder, "purchases.jsonl"), (value) => journalEntrySchema.parse(value));
  const clinic = createClinic({
    aapd: service,
    journal,
    now: () => new Date("2026-11-21T12:00:00.000Z"),
    uuid: () => "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
    parentOrigin: () => "http://127.0.0.1:1",
  });
  const server = createClinicApp({
    clinic,
    bench: createBench(clinic),
    examination: () => Promise.resolve({ findings: [], score: 100, notExamined: [] }),
    sandbox: createSandbox({ orderApiUrl: serviceUrl, clientSecret: "cs_test" }),
    webhooks: createWebhookManagement({ spotApiUrl: serviceUrl, secretKey: "ak_test" }),
    pageDir: folder,
    widgetHostUrl: "http://localhost:4030",
    mailsGalleryUrl: null,
    spotApiUrl: "http://localhost:4020",
    publicKey: "PK_test",
    webhookSecret: SECRET,
    signatureHeader: "x-service-signature",
    log: (event) => logged.push(event),
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, clinic };
}

/** The order as the service returns it three days after the payment. */
const getOrder = (() =>
  Promise.resolve({
    status: "pending",
    expense: { id: "exp-1", status: "filed" },
    collection: { status: "scheduled", due_at: "2027-01-05T12:00:00.000Z", reason: null },
  })) as unknown as PartnerClient["getOrder"];

const wish = {
  serviceId: "traumatologia",
  rut: "40.100.000-3",
  firstName: "Camila",
  lastName: "Rojas Fuentes",
  email: "camila.rojas@example.com",
  phone: "+56 9 1234 5678",
};

const { serviceId: _ofTheShop, ...patient } = wish;

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return fetch(url, { method: "POST", body: text, headers: { "content-type": "application/json", ...headers } });
}

function signed(event: unknown): { body: string; headers: Record<string, string> } {
  const body = JSON.stringify(event);
  return {
    body,
    headers: { "x-service-signature": `sha256=${createHmac("sha256", SECRET).update(body).digest("hex")}` },
  };
}

const paidEvent = {
  event_id: "0b4f3a52-62ab-4a5e-8a0e-0c2c8ad2c001",
  event: "order.paid",
  sequence: 1,
  reference: "CLA-3F2504E0",
  status: "paid",
};

describe("the clinic's backend", () => {
  it("creates the order under the purchase's own key and gives the page nothing but the frame's address", async () => {
    const { client, asked } = recordingService();
    const { url } = await startApp(client);
    const response = await post(`${url}/api/purchases`, wish);
    expect(response.status).toBe(201);
    expect(Object.keys(await response.json()).sort()).toEqual(["id", "url"]);
    expect(asked[0]).toEqual({ call: "createOrder", key: "3f2504e0-4f89-41d3-9a0c-0305e82c3301" });
  });

  it("refuses to sell an unknown service, without a call to the service", async () => {
    const { client, asked } = recordingService();
    const { url } = await startApp(client);
    expect((await post(`${url}/api/purchases`, { ...wish, serviceId: "free-lunch" })).status).toBe(422);
    expect((await post(`${url}/api/purchases`, "{")).status).toBe(422);
    expect(asked).toEqual([]);
  });

  it("reports a caller's mistake as such, and logs no failure", async () => {
    const { url } = await startApp(recordingService().client);
    expect((await fetch(`${url}/assets/gone.js`)).status).toBe(404);
    expect((await fetch(`${url}/api/purchases/%E0%A4%A/token`, { method: "POST" })).status).toBe(400);
    expect((await post(`${url}/api/purchases`, { ...wish, lastName: "x".repeat(20_000) })).status).toBe(413);
    expect((await post(`${url}/webhooks/aapd`, "x".repeat(300_000))).status).toBe(413);
    expect(logged).toEqual([]);
  });

  it("submits the receipt once for a paid order, however often the webhook comes", async () => {
    const { client, asked } = recordingService();
    const { url, clinic } = await startApp(client);
    await post(`${url}/api/purchases`, wish);
    const { body, headers } = signed(paidEvent);
    for (const response of await Promise.all([1, 2, 3].map(() => post(`${url}/webhooks/aapd`, body, headers)))) {
      expect(response.status).toBe(204);
    }
    await clinic.submitDueReceipts();
    expect(asked.filter(({ call }) => call === "submitExpense")).toEqual([{ call: "submitExpense", key: ORDER_HASH }]);
    expect(clinic.purchases()[0]).toMatchObject({ paid: true, receiptStatus: "received" });
  });

  it("logs a failure after a webhook was acknowledged, because no other party learns of it", async () => {
    const { client } = recordingService();
    const { url } = await startApp({ ...client, submitExpense: () => Promise.reject(new Error("broken")) });
    await post(`${url}/api/purchases`, wish);
    const { body, headers } = signed(paidEvent);
    expect((await post(`${url}/webhooks/aapd`, body, headers)).status).toBe(204);
    await expect.poll(() => logged).toEqual(["failed"]);
  });

  it("refuses a webhook without the right signature", async () => {
    const { client } = recordingService();
    const { url, clinic } = await startApp(client);
    await post(`${url}/api/purchases`, wish);
    const { body, headers } = signed(paidEvent);
    expect((await post(`${url}/webhooks/aapd`, body)).status).toBe(401);
    expect((await post(`${url}/webhooks/aapd`, body.replace("paid", "Paid"), headers)).status).toBe(401);
    expect(clinic.purchases()[0]?.paid).toBe(false);
    expect((await post(`${url}/webhooks/aapd`, body, headers)).status).toBe(204);
    expect(clinic.purchases()[0]?.paid).toBe(true);
  });

  it("fails as many webhooks as a tester requests, and accepts the next", async () => {
    const { url, clinic } = await startApp(recordingService().client);
    const { id } = (await (await post(`${url}/api/purchases`, wish)).json()) as { id: string };
    await post(`${url}/api/purchases/${id}/bench/webhooks`, { failNext: 2 });
    const { body, headers } = signed(paidEvent);
    const statuses: number[] = [];
    for (let copy = 0; copy < 3; copy += 1) statuses.push((await post(`${url}/webhooks/aapd`, body, headers)).status);
    expect(statuses).toEqual([503, 503, 204]);
    expect(clinic.purchase(id)?.paid).toBe(true);
  });

  it("acknowledges a signed test of its receiver", async () => {
    const { url, clinic } = await startApp(recordingService().client);
    const { body, headers } = signed({ event_id: paidEvent.event_id, event: "endpoint.test", data: {} });
    expect((await post(`${url}/webhooks/aapd`, body)).status).toBe(401);
    expect((await post(`${url}/webhooks/aapd`, body, headers)).status).toBe(204);
    expect(clinic.purchases()).toEqual([]);
  });

  it("accepts actions of the bench only with a JSON body, which no page of another origin can send", async () => {
    const asked: string[] = [];
    const service = createServer((request, response) => {
      request.setEncoding("utf8");
      request.on("data", (chunk: string) => asked.push(`${request.method} ${request.url} ${chunk}`));
      request.on("end", () => response.end('{"now":"2026-11-24T12:00:00.000Z","remaining_seconds":0}'));
    }).listen(0, "127.0.0.1");
    await new Promise((resolve) => service.once("listening", resolve));
    const serviceUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const { url, clinic } = await startApp({ ...recordingService().client, getOrder }, serviceUrl);
    const { id } = (await (await post(`${url}/api/purchases`, wish)).json()) as { id: string };
    const path = `${url}/api/purchases/${id}/bench/days`;
    expect((await post(path, { days: 3 }, { "content-type": "text/plain" })).status).toBe(422);
    expect((await post(path, { days: -1 })).status).toBe(422);
    expect(asked).toEqual([]);
    const answer = await post(path, { days: 3 });
    expect(await answer.json()).toEqual({ now: "2026-11-24T12:00:00.000Z", remainingSeconds: 0 });
    expect(asked).toEqual(['PUT /sandbox/clock {"advance":"3d"}']);
    const { timeline, collection } = clinic.purchase(id) ?? { timeline: [], collection: null };
    expect(timeline.map(({ happening }) => happening.kind)).toContain("days_passed");
    expect(collection).toEqual({ status: "scheduled", reason: null, dueAt: "2027-01-05T12:00:00.000Z" });
    service.close();
  });

  it("requests a replay of the deliveries since a moment, and nothing for an invalid moment", async () => {
    const endpointId = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
    const asked: { path: string; key: unknown; body: unknown }[] = [];
    const service = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
        asked.push({ path: request.url ?? "", key: request.headers["x-secret-key"], body });
        response.setHeader("content-type", "application/json").end('{"replayed":3}');
      });
    });
    await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
    const serviceUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
    const { url } = await startApp(recordingService().client, serviceUrl);
    const replay = (body: unknown) => post(`${url}/api/deliveries/${endpointId}/replay-since`, body);

    const answer = await replay({ since: "2026-11-21T09:00:00.000Z", onlyFailed: true });
    expect(await answer.json()).toEqual({ replayed: 3 });
    expect(asked).toEqual([
      {
        path: `/api/webhook_endpoints/${endpointId}/replay`,
        key: "ak_test",
        body: { since: "2026-11-21T09:00:00.000Z", only_failed: true },
      },
    ]);
    expect((await replay({ since: "yesterday", onlyFailed: true })).status).toBe(422);
    expect((await replay({ since: "2026-11-21T09:00:00.000Z" })).status).toBe(422);
    expect(asked).toHaveLength(1);
    service.closeAllConnections();
    service.close();
  });

  it("remembers its purchases after a restart, even if its last line was cut off", async () => {
    const first = recordingService();
    const { url } = await startApp(first.client);
    await post(`${url}/api/purchases`, wish);
    stop();
    await writeFile(join(folder, "purchases.jsonl"), '{"type":"happened","purch', { flag: "a" });
    for (let start = 0; start < 2; start += 1) {
      const { clinic } = await startApp(recordingService().client);
      expect(clinic.purchases()).toHaveLength(1);
      expect(clinic.purchases()[0]?.orderHash).toBe(ORDER_HASH);
      stop();
    }
  });

  it("serves its page under a policy of named sources that requires Trusted Types and forbids framing", async () => {
    const { url } = await startApp(recordingService().client);
    const policy = (await fetch(url)).headers.get("content-security-policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toContain("frame-src http://localhost:4030");
    expect(policy).toContain("connect-src 'self' http://localhost:4020");
    expect(policy).not.toContain("unsafe");
  });

  it("stores the violations that browsers report", async () => {
    const { url } = await startApp(recordingService().client);
    await post(`${url}/csp-reports`, {
      "csp-report": { "effective-directive": "img-src", "blocked-uri": "https://x.example" },
    });
    await post(`${url}/csp-reports`, [
      { type: "csp-violation", body: { effectiveDirective: "frame-src", blockedURL: "inline" } },
    ]);
    expect(await (await fetch(`${url}/api/csp-violations`)).json()).toEqual([
      { directive: "img-src", blocked: "https://x.example" },
      { directive: "frame-src", blocked: "inline" },
    ]);
  });
});

describe("the front desk", () => {
  const QR_SVG = '<svg xmlns="http://www.w3.org/2000/svg"/>';

  /** A service that records its calls; it mails the first checkout, and refuses the next. */
  function deskService() {
    const orders: number[] = [];
    const minted: object[] = [];
    const { client } = recordingService();
    const createOrder = ({ total_amount, reference }: { total_amount: number; reference: string }) => {
      orders.push(total_amount);
      return Promise.resolve({ hash: ORDER_HASH, reference });
    };
    const mintWidgetToken = (request: { qr?: boolean; deliver?: object; order_token: string }) => {
      const { qr, deliver, order_token } = request;
      if (minted.some((before) => "deliver" in before) && deliver !== undefined)
        return Promise.reject(new AapdError(429, "rate_limited", null, {}, "Too many requests."));
      minted.push({ order_token, ...(qr === undefined ? {} : { qr }), ...(deliver === undefined ? {} : { deliver }) });
      const code = qr === true ? { qr_svg: QR_SVG } : {};
      return Promise.resolve({ url: "https://widget.example/", expires_at: "2026-11-21T13:00:00.000Z", ...code });
    };
    return { orders, minted, client: { ...client, createOrder, mintWidgetToken } as unknown as PartnerClient };
  }

  it("charges the typed amount, and offers the checkout as a code and in a mail to the order's patient", async () => {
    const { client, orders, minted } = deskService();
    const { url, clinic } = await startApp(client);
    const begun = await post(`${url}/api/desk`, { ...patient, amountClp: 45_952 });
    expect(begun.status).toBe(201);
    const { id, ...code } = (await begun.json()) as { id: string };
    expect(code).toEqual({ url: "https://widget.example/", qrSvg: QR_SVG, validMinutes: 60 });
    expect(orders).toEqual([45_952]);
    expect((await post(`${url}/api/purchases/${id}/mail`, {})).status).toBe(204);
    expect((await post(`${url}/api/purchases/${id}/code`, {})).status).toBe(201);
    expect(minted).toEqual([
      { order_token: ORDER_HASH, qr: true },
      { order_token: ORDER_HASH, deliver: { email: patient.email } },
      { order_token: ORDER_HASH, qr: true },
    ]);
    const tooMany = await post(`${url}/api/purchases/${id}/mail`, {});
    expect([tooMany.status, await tooMany.json()]).toEqual([
      429,
      { detail: "Ya enviamos este pago varias veces. Espera una hora o muestra el código." },
    ]);
    const kinds = clinic.purchase(id)?.timeline.map(({ happening }) => happening.kind);
    expect(kinds?.filter((kind) => kind === "checkout_mailed")).toHaveLength(1);
  });

  it.each([0, -1, 1.5, "45952", 1_000_000_000])(
    "refuses the amount %j without a call to the service",
    async (amountClp) => {
      const { client, orders } = deskService();
      const { url } = await startApp(client);
      expect((await post(`${url}/api/desk`, { ...patient, amountClp })).status).toBe(422);
      expect(orders).toEqual([]);
    },
  );
});

describe("the clinic's own check of the signature", () => {
  it("agrees with a vector that was computed elsewhere", () => {
    const hex = createHmac("sha256", "whsec_a").update('{"a":1}').digest("hex");
    expect(isSignedByService(Buffer.from('{"a":1}'), `sha256=${hex}`, "whsec_a")).toBe(true);
    expect(isSignedByService(Buffer.from('{"a":2}'), `sha256=${hex}`, "whsec_a")).toBe(false);
    expect(isSignedByService(Buffer.from('{"a":1}'), hex, "whsec_a")).toBe(false);
    expect(isSignedByService(Buffer.from('{"a":1}'), undefined, "whsec_a")).toBe(false);
  });
});
