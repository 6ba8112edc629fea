import { mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { payAsPatient } from "../../../packages/server/src/dev/pay-as-patient.ts";
import { createProgram } from "../../../packages/server/src/dev/program.ts";
import { run } from "../../../packages/server/src/dev/run.ts";
import { SCENARIOS, type ScenarioName } from "../../../packages/server/src/dev/scenarios.ts";
import { createPartnerClient } from "../../../src/partner-client/partner-client.ts";
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

function aapdDev(...args: string[]) {
  return aapdDevUntil(new AbortController().signal, ...args);
}

function aapdDevUntil(signal: AbortSignal, ...args: string[]) {
  return aapdDevIn(folder, signal, args);
}

async function aapdDevIn(place: string, signal: AbortSignal, args: readonly string[]) {
  let out = "";
  let errors = "";
  const code = await run(args, {
    folder: place,
    signal,
    write: (text) => {
      out += text;
    },
    writeError: (text) => {
      errors += text;
    },
  });
  return { code, out, errors };
}

/** The JSON output of a command. */
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

  it("writes a project with its own keys into a new folder, and changes nothing in one that has files", async () => {
    const place = await mkdtemp(join(tmpdir(), "aapd-new-"));
    const never = new AbortController().signal;
    const create = (api: string) => aapdDevIn(place, never, ["new", "flask", "--api", api]);
    expect((await create(bff.orderApi)).code).toBe(0);
    const written = join(place, "aapd-flask");
    const [page, variables] = await Promise.all(
      ["public/checkout.js", ".env"].map((file) => readFile(join(written, file), "utf8")),
    );
    expect(page).toContain(`${bff.widgetHost}/embed/v1.js`);
    expect(variables).toMatch(/^CLIENT_SECRET=cs_[\w-]+$/m);
    for (const file of [".env", ".aapd/sandbox.json"])
      expect((await stat(join(written, file))).mode & 0o777).toBe(0o600);
    const again = await create(bff.orderApi);
    expect([again.code, again.errors]).toEqual([1, "aapd-flask is not empty. Name another folder.\n"]);
    expect(await readFile(join(written, ".env"), "utf8")).toBe(variables);
    await rm(place, { recursive: true });
  });

  it("names a file of a project that would be outside of its folder, and writes none", async () => {
    const server = createServer((_request, response) => response.end('{"files": {"a/../../b": "x"}}'));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const place = await mkdtemp(join(tmpdir(), "aapd-new-"));
    const { code, errors } = await aapdDevIn(place, new AbortController().signal, ["new", "php", "--api", api]);
    server.close();
    expect([code, errors]).toEqual([1, expect.stringContaining("outside of the project: a/../../b")]);
    expect(await readdir(place)).toEqual([]);
    await rm(place, { recursive: true });
  });

  it("appears in the guide with commands that exist and every option that they require", async () => {
    const guide = await readFile(new URL("../../../docs/site/guide/en/tools.md", import.meta.url), "utf8");
    const program = createProgram({
      folder,
      signal: new AbortController().signal,
      write: () => undefined,
      writeError: () => undefined,
    });
    const documented = [...guide.matchAll(/^\| `aapd-dev ([a-z]+)(.*?)`/gm)];
    expect(documented.length).toBeGreaterThan(10);
    for (const [, name, rest = ""] of documented) {
      const required = program.commands.find((one) => one.name() === name)?.options.filter((one) => one.mandatory);
      expect([name, required?.filter(({ long }) => !rest.includes(long ?? ""))]).toEqual([name, []]);
    }
  });

  it("plays the order of a meta-provider at one of its centres, and examines its keys", async () => {
    const place = await mkdtemp(join(tmpdir(), "aapd-meta-"));
    const inPlace = async (...args: string[]) => {
      const { code, out, errors } = await aapdDevIn(place, new AbortController().signal, [...args, "--json"]);
      expect([code, errors]).toEqual([0, ""]);
      return JSON.parse(out);
    };
    await inPlace("sandbox", "--api", bff.orderApi, "--meta");
    const { order } = await inPlace("trigger", "paid");
    expect(order).toMatchObject({ status: "paid", center: { rut: "76000001-9" } });
    await inPlace("open");
    await rm(place, { recursive: true });
  });

  it("explains what to do without keys, and for an unknown scenario or duration", async () => {
    const empty = await run(["trigger", "paid"], {
      folder: tmpdir(),
      signal: new AbortController().signal,
      write: () => undefined,
      writeError: (text) => expect(text).toBe("There are no keys in this folder. Get some: npx aapd-dev sandbox\n"),
    });
    expect(empty).toBe(1);
    expect(await aapdDev("trigger", "no_such")).toMatchObject({
      code: 1,
      errors: expect.stringContaining("latest_day"),
    });
    expect(await aapdDev("clock", "soon")).toMatchObject({ code: 2, errors: expect.stringContaining("+45d") });
  });

  interface End {
    readonly refusal?: string;
    readonly status: string;
    readonly collection?: string;
    readonly claim?: string;
    readonly refund?: string;
  }
  const ends: Record<ScenarioName, End> = {
    paid: { status: "paid" },
    card_declined: { refusal: "card_declined", status: "pending" },
    identity_rejected: { refusal: "identity_rejected", status: "pending" },
    credit_refused: { refusal: "credit_declined", status: "pending" },
    challenge_approved: { status: "paid" },
    challenge_rejected: { refusal: "card_declined", status: "pending" },
    credit_reviewed: { status: "paid", collection: "scheduled" },
    credit_review_refused: { status: "pending" },
    refunded: { status: "refunded", refund: "succeeded" },
    refunded_debit: { status: "refunded", refund: "succeeded" },
    refund_failed: { status: "paid", refund: "failed" },
    chargeback: { status: "paid" },
    approved: { status: "paid", collection: "collected" },
    claim_held: { status: "paid", collection: "scheduled", claim: "held" },
    claim_rejected: { status: "paid", collection: "scheduled", claim: "rejected" },
    paid_early: { status: "paid", collection: "collected" },
    mandate_revoked: { status: "paid", collection: "failed" },
    access_blocked: { status: "paid", collection: "collected" },
    latest_day: { status: "paid", collection: "collected" },
    // The card is charged on the same day as `approved`, declined, and tried again later.
    later_charge_declined: { status: "paid", collection: "scheduled" },
    receipt_missing: { status: "paid", collection: "scheduled" },
  };

  // In the short check: here: submits a receipt, decides the claim, refunds a part and reads the patient's mail.
  it.each(SCENARIOS)("trigger $name: $ends", { tags: ["long"] }, async ({ name }) => {
    const { refusal, order } = await json("trigger", name);
    const { status, collection, claim, refunds } = order;
    expect({
      refusal: refusal ?? undefined,
      status,
      collection: collection?.status,
      claim: claim?.status,
      refund: refunds[0]?.status,
    }).toMatchObject(ends[name]);
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
    const id = /\((\S+)\) → 401/.exec(out)?.[1] ?? "";
    expect((await aapdDev("resend", id, "--forward-to", receiver.url)).out).toContain(id);
    receiver.close();
  });

  it("forwards only chosen kinds, and sends one event again", async () => {
    const { order } = await json("trigger", "paid");
    await json("refund", order.hash);
    const { WEBHOOK_SECRET } = await json("env");
    const receiver = await startReceiver(WEBHOOK_SECRET, () => 204);
    const to = ["--forward-to", receiver.url];
    const refunded = await json("listen", ...to, "--only", "order.refunded", "--events", "1", "--from-start");
    expect(receiver.events).toEqual(["order.refunded"]);
    expect(await json("resend", refunded.event_id, ...to)).toMatchObject({ event: "order.refunded", accepted: true });
    expect(receiver.events).toEqual(["order.refunded", "order.refunded"]);
    receiver.close();
    expect(await aapdDev("resend", "no-such", ...to)).toMatchObject({
      code: 1,
      errors: expect.stringContaining(`aapd-dev listen ${to.join(" ")} --from-start`),
    });
    expect(await aapdDev("resend", refunded.event_id, ...to)).toMatchObject({ code: 1 });
  });

  it("stops listening between two tries without a stack trace", async () => {
    await json("trigger", "paid");
    const stopping = new AbortController();
    const receiver = await startReceiver("any", () => {
      stopping.abort();
      return 503;
    });
    const stopped = await aapdDevUntil(stopping.signal, "listen", "--forward-to", receiver.url, "--from-start");
    receiver.close();
    expect(stopped).toMatchObject({ code: 1, errors: "1 not accepted\n" });
  });

  it("submits a receipt, decides the claim, refunds a part and reads the patient's mail", async () => {
    const { order } = await json("trigger", "paid");
    const { hash, customer } = order;
    expect(await json("receipt", hash)).toMatchObject({ submission_status: "queued", skip_pay_order_id: hash });
    await json("clock", "+1h");
    expect(await json("claim", hash, "approve")).toMatchObject({ order_hash: hash, status: "approved" });
    expect((await json("refund", hash, "--amount", "1000")).refund).toMatchObject({ amount: 1_000 });
    const { notices } = await json("mail", "--to", customer.email);
    expect(new Set(notices.map(({ to }: { to: string }) => to))).toEqual(new Set([customer.email]));
    expect((await aapdDev("receipt", hash, "boleta.doc")).errors).toContain("must end with one of .pdf");
  });

  it("plans the fault of the help's example, adds a second one, and replaces both on request", async () => {
    const { out } = await aapdDev("fault", "--help");
    const example = /^ {2}\$ aapd-dev (fault .*)$/m.exec(out)?.[1]?.split(" ") ?? [];
    const [, party, method, kind] = example;
    const first = { party, method, kind, calls: 1 };
    const second = { party: "bank", method: "transfer", kind: "slow", calls: 2 };
    expect(await json(...example)).toEqual({ faults: [first] });
    expect((await aapdDev("fault", "bank", "transfer", "slow", "--calls", "2")).out).toBe(
      `The next 1 of ${party}.${method}: ${kind}.\nThe next 2 of bank.transfer: slow.\n`,
    );
    expect(await json("fault", "bank", "transfer", "slow", "--calls", "2", "--replace")).toEqual({ faults: [second] });
  });

  it("ends with 1 if a scenario's result differs from the declared one", async () => {
    const place = await mkdtemp(join(tmpdir(), "aapd-dev-"));
    const inPlace = (...args: string[]) => aapdDevIn(place, new AbortController().signal, args);
    await inPlace("sandbox", "--api", bff.orderApi, "--origin", "http://127.0.0.1:3000");
    const { CLIENT_ID, WIDGET_HOST, ORDER_API, SPOT_API, CLIENT_SECRET, PUBLIC_KEY } = JSON.parse(
      (await inPlace("env", "--json")).out,
    );
    const client = createPartnerClient({
      orderApiUrl: ORDER_API,
      spotApiUrl: SPOT_API,
      clientSecret: CLIENT_SECRET,
      publicKey: PUBLIC_KEY,
    });
    const rut = "40237731-3";
    const customer = {
      rut,
      first_name: "Camila",
      last_name: "Rojas",
      email: "otra@example.com",
      phone_number: "+56912345678",
    };
    const { hash } = await client.createOrder({ reference: "otra", total_amount: 45_952, customer });
    const { widget_token: widgetToken } = await client.mintWidgetToken({
      order_token: hash,
      rut,
      user_data: { email: customer.email },
    });
    const checkout = { widgetHost: WIDGET_HOST, clientId: CLIENT_ID, hash, widgetToken };
    const patient = { rut, serial: "123456789", card: "4051885600446623" };
    await expect(payAsPatient(checkout, patient)).rejects.toMatchObject({ code: "credit_declined" });
    const { code, out, errors } = await inPlace("trigger", "credit_refused");
    await rm(place, { recursive: true });
    expect([code, errors]).toEqual([1, expect.stringContaining("expected credit_declined, got RUT_OTHER_EMAIL")]);
    expect(out).not.toContain("The credit is refused");
  });

  it("moves and reads only its tenant's clock", async () => {
    const before = await json("clock");
    const after = await json("clock", "+1d12h");
    expect(after.ahead_seconds - before.ahead_seconds).toBe(129_600);
  });

  it("shows refused calls with the reason, but not their content", async () => {
    const { ORDER_API, CLIENT_SECRET } = await json("env");
    const headers = { authorization: `Bearer ${CLIENT_SECRET}`, "content-type": "application/json" };
    const body = JSON.stringify({ reference: "una-venta", total_amount: "mucho", customer: { rut: "11.111.111-9" } });
    const answer = await fetch(`${ORDER_API}/orders`, { method: "POST", headers, body });
    const { out } = await aapdDev("logs", "--refused");
    const [line] = out.split("\n").filter((one) => one.includes(answer.headers.get("x-request-id") ?? "none"));
    expect(line).toMatch(/ 422 POST \/orders validation_error in .*total_amount/);
    expect(out).not.toMatch(/una-venta|mucho|11\.111/);
    expect((await json("logs")).length).toBeGreaterThan((await json("logs", "--refused")).length);
    const routesOf = async (...options: string[]) =>
      (await json("logs", ...options)).map(({ route }: { route: string }) => route);
    expect(await routesOf("--all")).toContain("/sandbox/requests");
    expect(await routesOf()).not.toContain("/sandbox/requests");
    const ofOrders = await json("logs", "--route", "/orders", "--status", "4xx");
    expect(ofOrders).toContainEqual(expect.objectContaining({ route: "/orders", status: 422 }));
    for (const { route, status } of ofOrders)
      expect([route.slice(0, 7), Math.floor(status / 100)]).toEqual(["/orders", 4]);
    expect(await aapdDev("logs", "--status", "many")).toMatchObject({ code: 2 });
  });

  it("opens a checkout that answers", async () => {
    const { url } = await json("open", "--amount", "45952", "--print");
    expect((await fetch(url)).status).toBe(200);
  });
});
