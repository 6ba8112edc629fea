import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readMessages } from "../../../sandbox/read-notifications.ts";
import { qrSvg } from "../../../src/checkout/mint-widget-token.ts";
import { withoutDrawnNames } from "../../without-drawn-names.ts";
import { CAMILA } from "./people.ts";
import {
  CLINIC_ORIGIN,
  clinicsHaveTheirOwnPatients,
  type SpotFace,
  START,
  startSpotFace,
  type TestProvider,
  WIDGET_HOST,
} from "./spot-face.ts";

let face: SpotFace;
let clinic: TestProvider;
let meta: TestProvider;
beforeAll(async () => {
  face = await startSpotFace();
  clinic = await face.makeProvider();
  meta = await face.makeProvider({ name: "Red Salud Quillay", rut: "96.900.001-6", meta: true });
});
afterAll(() => face.stop());

const mint = (body: unknown, by: TestProvider = clinic) =>
  face.call("mintWidgetToken", `/api/spot/widget?public_key=${by.credentials.public_key}`, { body });
/** A clinic with a registered page and app, created once. */
let made: Promise<TestProvider> | undefined;
const returning = () =>
  (made ??= face.makeProvider({ returnUrls: ["https://clinic.example/paid", "cl.clinic.app:/paid"] }));
/** Every table of the service, without those of the sandbox's parties, which receive the mail. */
const ownTables = () =>
  sql<{ name: string }>`select table_name as name from information_schema.tables
  where table_schema = 'public' and table_name not like 'sandbox%'`
    .execute(face.db)
    .then(({ rows }) => rows);
const rowsOf = ({ name }: { name: string }) => sql`select to_json(t) from ${sql.table(name)} t`.execute(face.db);
const minutesFromStart = (minutes: number) => new Date(START.getTime() + minutes * 60_000).toISOString();

describe("POST /api/spot/widget", () => {
  describe("201", () => {
    it.each([
      [{}, 60],
      [{ long_term_token: true }, 43_200],
      [{ long_term_token: false }, 60],
      [{ expires_in_minutes: 15 }, 15],
      [{ expires_in_minutes: 43_200 }, 43_200],
      [{ expires_in_minutes: 15, long_term_token: true }, 15],
    ])("creates a token for %j that lives %i minutes", async (body, minutes) => {
      const answer = await mint(body);
      expect(answer.status).toBe(201);
      expect(answer.body.expires_at).toBe(minutesFromStart(minutes));
    });

    it("returns the address of the widget", async () => {
      const order = await face.createOrder(clinic);
      const { body } = await mint({ order_token: ` ${order.toUpperCase()} ` });
      const url = new URL(body.url);
      expect(url.origin).toBe(WIDGET_HOST);
      expect(Object.fromEntries(url.searchParams)).toEqual({
        widget_token: body.widget_token,
        public_key: clinic.credentials.public_key,
        order_token: order,
      });
    });

    it("stores a hash of the token and never the token", async () => {
      const { body } = await mint({});
      const rows = await face.db.selectFrom("widget_tokens").selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(body.widget_token);
      expect(face.log()).not.toContain(body.widget_token);
    });

    it("accepts provider_data from a meta-provider, and an origin of the provider's own", async () => {
      expect((await mint({ provider_data: { branch: "Ñuñoa" } }, meta)).status).toBe(201);
      expect((await mint({ parent_origin: CLINIC_ORIGIN })).status).toBe(201);
    });

    it("accepts a return_url as registered, and needs no page if an app opens the checkout", async () => {
      const app = await face.makeProvider({
        origins: [],
        returnUrls: ["cl.clinic.app:/paid", "https://clinic.example"],
      });
      for (const return_url of ["cl.clinic.app:/paid", "https://clinic.example/", "https://CLINIC.example"]) {
        expect((await mint({ native: true, return_url }, app)).status).toBe(201);
      }
    });

    it("mints any number of tokens for an order that awaits payment", async () => {
      const order_token = await face.createOrder(clinic);
      const [first, second] = await Promise.all([mint({ order_token }), mint({ order_token })]);
      expect(first.status).toBe(201);
      expect(second.body.widget_token).not.toBe(first.body.widget_token);
    });

    it("returns the address as a QR code only on request", async () => {
      const { body } = await mint({ order_token: await face.createOrder(clinic), qr: true });
      expect(body.qr_svg).toBe(qrSvg(body.url));
      expect((await mint({ qr: false })).body).not.toHaveProperty("qr_svg");
    });

    it("mails the address to the order's customer, with its validity, and to no telephone", async () => {
      const desk = await face.makeProvider();
      const order_token = await face.createOrder(desk);
      const deliver = { email: " CAMILA@EXAMPLE.com" };
      const { status, body } = await mint({ order_token, deliver, expires_in_minutes: 90 }, desk);
      expect(status).toBe(201);
      await face.runDue();
      const [mail, ...more] = await face.mailbox(desk);
      expect(more).toEqual([]);
      expect(mail).toMatchObject({ to: "camila@example.com", subject: `Paga tu atención en ${desk.provider.name}` });
      const { text } = mail ?? { text: "" };
      expect(text).toContain(body.url);
      expect(text).toContain("Total de la atención: $40.000");
      expect(text).toContain("Hoy pagas: $12.000");
      // 13:30 UTC, in Chilean summer time.
      expect(text).toContain("El enlace sirve hasta el 21 de noviembre de 2026 a las 10:30");
      const messages = await readMessages(face, { providerId: desk.provider.id, to: null, limit: 10 });
      expect(messages).toEqual([]);
      const page = await face.page(body.widget_token, desk.credentials.public_key);
      expect(page).toMatchObject({ session: { order_token } });
    });

    it("does not mail an address that expired while its mail could not be sent", async () => {
      const desk = await face.makeProvider();
      const began = face.clock.now();
      const after = (minutes: number) => face.clock.set(new Date(began.getTime() + minutes * 60_000));
      await face.fault(desk, { party: "messenger", method: "sendEmail", kind: "fail_before", calls: 3 });
      const order_token = await face.createOrder(desk);
      await mint({ order_token, deliver: { email: "camila@example.com" }, expires_in_minutes: 15 }, desk);
      for (const minutes of [0, 1, 6, 21, 81]) {
        after(minutes);
        await face.runDue();
      }
      face.clock.set(began);
      expect(await face.mailbox(desk)).toEqual([]);
    });

    it("mails in the language of the token", async () => {
      const desk = await face.makeProvider();
      const order_token = await face.createOrder(desk);
      await mint({ order_token, deliver: { email: "camila@example.com" }, locale: "en" }, desk);
      await face.runDue();
      expect(await face.mailbox(desk)).toMatchObject([
        { subject: `Pay for your consultation at ${desk.provider.name}` },
      ]);
    });

    it("stores a mailed address never in the clear, and not at all once it is sent", async () => {
      const order_token = await face.createOrder(clinic);
      const { body } = await mint({ order_token, qr: true, deliver: { email: "camila@example.com" } });
      const everything = async () => JSON.stringify(await Promise.all((await ownTables()).map(rowsOf)));
      const kept = await everything();
      expect(kept).toContain(order_token);
      expect(kept).not.toContain(body.widget_token);
      await face.runDue();
      const notices = face.db.selectFrom("notices").select(["kind", "state", "sealed_email"]);
      expect(await notices.where("order_id", "=", order_token).execute()).toEqual([
        { kind: "checkout_link", state: "sent", sealed_email: null },
      ]);
      expect(await everything()).not.toContain(body.widget_token);
      expect(face.log()).not.toContain(body.widget_token);
    });
  });

  describe("400", () => {
    it("provider_data_not_allowed, even empty, from a provider that is not a meta-provider", async () => {
      expect((await mint({ provider_data: {} })).body.code).toBe("provider_data_not_allowed");
    });

    it("origin_not_registered for a provider without any origin, with what to do", async () => {
      const unregistered = await face.makeProvider({ origins: [] });
      const { status, body } = await mint({}, unregistered);
      expect([status, body.code]).toEqual([400, "origin_not_registered"]);
      expect(body.detail).toContain("aapd provider set-origins");
      expect((await mint({}, await face.makeProvider({ origins: [], framed: false }))).status).toBe(201);
    });

    it("origin_not_registered for an origin that is not the provider's", async () => {
      const others = ["https://evil.example", "http://clinic.example", "https://clinic.example:8443"];
      // The last value is not an address at all.
      for (const parent_origin of [...others, "https://clinic.example:99999"]) {
        expect((await mint({ parent_origin })).body.code).toBe("origin_not_registered");
      }
    });

    it.each([
      "https://clinic.example/paid/",
      "https://clinic.example/paid?next=https://evil.example",
      "https://clinic.example:8443/paid",
      "https://clinic.example:99999/paid",
      "http://clinic.example/paid",
      "https://evil.example/paid",
      "https://clinic.example.evil.example/paid",
      "https://clinic.example/paid/../other",
      "cl.clinic.app:/paid/other",
      "cl.clinic.apps:/paid",
    ])("return_url_not_registered for %s", async (return_url) => {
      const app = await returning();
      expect((await mint({ return_url }, app)).body.code).toBe("return_url_not_registered");
    });

    it("malformed_json", async () => {
      const response = await fetch(`${face.url}/api/spot/widget?public_key=${clinic.credentials.public_key}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{",
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ code: "malformed_json" });
    });
  });

  describe("401", () => {
    it("answers missing, unknown, wrong-kind and inactive credentials", async () => {
      const inactive = await face.makeProvider({ active: false });
      for (const key of ["", "PK_unknown", clinic.credentials.client_id, clinic.credentials.client_secret]) {
        const answer = await face.call("mintWidgetToken", `/api/spot/widget?public_key=${key}`, { body: {} });
        expect(answer).toMatchObject({ status: 401, body: { code: "invalid_public_key" } });
      }
      expect((await mint({}, inactive)).status).toBe(401);
    });
  });

  describe("404", () => {
    it("order_not_found for an unknown order and another provider's, before any other check", async () => {
      const other = await face.makeProvider();
      const order_token = await face.createOrder(other);
      expect((await mint({ order_token })).body.code).toBe("order_not_found");
      const unknown = "3f2504e0-4f89-41d3-9a0c-0305e82c3301";
      expect((await mint({ order_token: unknown, expires_in_minutes: 1 })).body.code).toBe("order_not_found");
    });
  });

  describe("409", () => {
    it.each(["paid", "partially_refunded", "refunded", "cancelled", "payment_failed"] as const)(
      "order_not_payable for an order that is %s",
      async (state) => {
        const order_token = await face.createOrder(clinic);
        await face.moveOrder(clinic, order_token, state);
        expect((await mint({ order_token })).body.code).toBe("order_not_payable");
      },
    );

    it("order_not_payable mails nothing", async () => {
      const desk = await face.makeProvider();
      const order_token = await face.createOrder(desk);
      await face.moveOrder(desk, order_token, "cancelled");
      const refused = await mint({ order_token, deliver: { email: "camila@example.com" } }, desk);
      expect([refused.status, refused.body.code]).toEqual([409, "order_not_payable"]);
      await face.runDue();
      expect(await face.mailbox(desk)).toEqual([]);
    });
  });

  describe("429", () => {
    it("rate_limited after 120 tokens for one order in an hour, without affecting other orders", async () => {
      const order_token = await face.createOrder(clinic);
      const minted = await Promise.all(Array.from({ length: 120 }, () => mint({ order_token })));
      expect(new Set(minted.map(({ status }) => status))).toEqual(new Set([201]));
      const { status, body, headers } = await mint({ order_token: order_token.toUpperCase() });
      expect([status, body.code]).toEqual([429, "rate_limited"]);
      expect(headers.get("ratelimit-policy")).toBe("120;w=3600");
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect((await mint({ order_token: await face.createOrder(clinic) })).status).toBe(201);
      expect((await mint({})).status).toBe(201);
    });

    it("rate_limited after 5 mails for one order in an hour, with wrong addresses counted; minting continues", async () => {
      const desk = await face.makeProvider();
      const order_token = await face.createOrder(desk);
      const mail = (email: string, by = desk) => mint({ order_token, deliver: { email } }, by);
      // Requests by another provider do not count.
      for (let tried = 0; tried < 6; tried += 1) expect((await mail("camila@example.com", clinic)).status).toBe(404);
      for (const guess of ["a@example.com", "b@example.com"]) expect((await mail(guess)).status).toBe(422);
      for (let sent = 0; sent < 3; sent += 1) expect((await mail("camila@example.com")).status).toBe(201);
      for (const email of ["camila@example.com", "c@example.com"]) {
        const { status, body, headers } = await mail(email);
        expect([status, body.code]).toEqual([429, "rate_limited"]);
        expect(headers.get("ratelimit-policy")).toBe("5;w=3600");
        expect(Number(headers.get("retry-after"))).toBe(body.retry_after_seconds);
      }
      await face.runDue();
      expect(await face.mailbox(desk)).toHaveLength(3);
      expect((await mint({ order_token, qr: true }, desk)).status).toBe(201);
      const other = await face.createOrder(desk);
      expect((await mint({ order_token: other, deliver: { email: "camila@example.com" } }, desk)).status).toBe(201);
    });
  });

  describe("422", () => {
    it.each([
      [{ expires_in_minutes: 14 }, "expires_in_minutes"],
      [{ expires_in_minutes: 43_201 }, "expires_in_minutes"],
      [{ expires_in_minutes: 60.5 }, "expires_in_minutes"],
      [{ expires_in_minutes: "60" }, "expires_in_minutes"],
      [{ long_term_token: "true" }, "long_term_token"],
      [{ rut: "12345678" }, "rut"],
      [{ rut: "76.900.001-1" }, "rut"],
      [{ user_data: { rut: "12.345.678-K" } }, "user_data.rut"],
      [{ order_token: "order-1" }, "order_token"],
      [{ parent_origin: "https://clinic.example/path" }, "parent_origin"],
      [{ parent_origin: "*" }, "parent_origin"],
      [{ locale: "fr" }, "locale"],
      [{ native: "true" }, "native"],
      [{ qr: "true" }, "qr"],
      [{ deliver: { email: "camila@example.com" } }, "order_token"],
      [{ deliver: { email: "camila" } }, "deliver.email"],
      [{ deliver: {} }, "deliver.email"],
      [{ deliver: "camila@example.com" }, "deliver"],
      [{ native: true, parent_origin: CLINIC_ORIGIN }, "parent_origin"],
      [{ return_url: "javascript:alert(1)" }, "return_url"],
      [{ return_url: "data:text/html,hi" }, "return_url"],
      [{ return_url: "intent://x#Intent;scheme=https;end" }, "return_url"],
      [{ return_url: "//evil.example" }, "return_url"],
      [{ return_url: "/paid" }, "return_url"],
      [{ return_url: "https:evil.example" }, "return_url"],
      [{ return_url: "https://clinic.example\\@evil.example" }, "return_url"],
      [{ return_url: "https://clinic.example@evil.example" }, "return_url"],
      [{ return_url: " https://clinic.example/paid" }, "return_url"],
      [{ return_url: "clinic:/paid" }, "return_url"],
    ])("validation_error for %j", async (body, path) => {
      const answer = await mint(body);
      expect(answer.body).toMatchObject({ code: "validation_error", errors: [{ path }] });
    });

    it.each([null, "order_token", ["order_token"], 1])("validation_error for %j, which is no object", async (body) => {
      const answer = await mint(body);
      expect([answer.status, answer.body.code]).toEqual([422, "validation_error"]);
    });

    it.each([
      ["long_term_token=true", { long_term_token: false }, "long_term_token"],
      ["expires_in_minutes=60", { expires_in_minutes: 61 }, "expires_in_minutes"],
      ["expires_in_minutes=14", {}, "expires_in_minutes"],
      ["expires_in_minutes=1e3", {}, "expires_in_minutes"],
      ["long_term_token=yes", {}, "long_term_token"],
      ["order_token=3f2504e0-4f89-41d3-9a0c-0305e82c3301", {}, "order_token"],
      ["deliver[email]=x&deliver=x", {}, "deliver"],
    ])("validation_error for the query %s and the body %j", async (query, body, path) => {
      const url = `/api/spot/widget?public_key=${clinic.credentials.public_key}&${query}`;
      const answer = await face.call("mintWidgetToken", url, { body });
      expect(answer.body).toMatchObject({ code: "validation_error", errors: [{ path }] });
    });

    it.each([
      ["long_term_token=true", 30 * 24 * 60],
      ["expires_in_minutes=43200", 43_200],
      ["expires_in_minutes=15&long_term_token=true", 15],
      ["long_term_token=True", 30 * 24 * 60],
      ["longtermtoken=true&utm_source=mail", 60],
    ])("accepts %s from the query too", async (query, minutes) => {
      const url = `/api/spot/widget?public_key=${clinic.credentials.public_key}&${query}`;
      const body = {
        rut: null,
        user_data: { name: null, email: "a@b.example" },
        locale: null,
        expires_in_minutes: null,
      };
      const answer = await face.call("mintWidgetToken", url, { body });
      expect(answer.status).toBe(201);
      expect(new Date(answer.body.expires_at).getTime() - face.clock.now().getTime()).toBe(minutes * 60_000);
    });

    it.runIf(clinicsHaveTheirOwnPatients)("validation_error for a misspelled field, in staging", async () => {
      for (const [body, path, meant] of [
        [{ order_tokn: "x" }, "order_tokn", "order_token"],
        [{ native_: true }, "native_", "native"],
        [{ user_data: { emial: "a@b.example" } }, "user_data.emial", "email"],
      ] as const) {
        const answer = await mint(body);
        const message = `is not a field of this request. Did you mean "${meant}"?`;
        expect(answer.body).toMatchObject({ code: "validation_error", errors: [{ path, message }] });
      }
      expect((await mint({ campaign: "november" })).status).toBe(201);
    });

    it("validation_error for a telephone, alone or with the e-mail: links are never sent by text message", async () => {
      const order_token = await face.createOrder(clinic);
      for (const email of [{}, { email: "camila@example.com" }]) {
        const { status, body } = await mint({ order_token, deliver: { ...email, phone: "+56912345678" } });
        expect(status).toBe(422);
        expect(body.errors).toContainEqual({ path: "deliver", message: "has unknown fields (1); allowed: email" });
      }
    });

    it("validation_error for a mail to anyone but the order's customer, without revealing the customer", async () => {
      const desk = await face.makeProvider();
      const order_token = await face.createOrder(desk);
      for (const email of ["otra@example.com", "camila@example.org", "camila+1@example.com"]) {
        const { status, body } = await mint({ order_token, qr: true, deliver: { email } }, desk);
        expect(status).toBe(422);
        expect(body).toEqual({
          code: "validation_error",
          detail: body.detail,
          errors: [{ path: "deliver.email", message: "is not the e-mail of the order's customer" }],
        });
        expect(JSON.stringify(body)).not.toMatch(/camila|example/);
      }
      await face.runDue();
      expect(await face.mailbox(desk)).toEqual([]);
    });

    it("validation_error names the wrong field and never the value", async () => {
      const answer = await mint({ rut: "not-a-rut-4711" });
      expect(withoutDrawnNames(JSON.stringify(answer.body))).not.toContain("4711");
    });
  });
});

describe("user_data", () => {
  it("is stored as sent and proves nothing", async () => {
    const { body } = await mint({ user_data: { name: "Camila", rut: CAMILA.rut } });
    const session = await face.call("readWidgetToken", `/api/spot/widget/${body.widget_token}`);
    expect(session.body).toMatchObject({ event_type: "SPOT_USER_NEW", user_data: { name: "Camila", rut: CAMILA.rut } });
  });
});
