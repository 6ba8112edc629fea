import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { existingTokens, hashToken, spendToken } from "../../../src/checkout/open-widget-token.ts";
import { mintSelfServiceToken } from "../../../src/checkout/self-service-links.ts";
import {
  forgetProvenVisits,
  isPatientOfOrder,
  noteProvenVisit,
  widgetTokensOf,
} from "../../../src/checkout/tokens/proven-visits.ts";
import { type OrderId, readWidgetToken } from "../../../src/contract/vocabulary/identifiers.ts";
import { frameAncestorsFor } from "../../../src/frame/page-policy.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { setReturnUrls } from "../../../src/tenants/manage-provider.ts";
import { countingRows } from "../../rows-returned.ts";
import { CAMILA, given, MATIAS } from "./people.ts";
import { beginEach, CLINIC_ORIGIN, type SpotFace, START, type TestProvider } from "./spot-face.ts";

let face: SpotFace;
let clinic: TestProvider;
beginEach((beginning) => {
  ({ face, clinic } = beginning);
});

async function mint(body: Record<string, unknown> = {}): Promise<string> {
  const path = `/api/spot/widget?public_key=${clinic.credentials.public_key}`;
  return (await face.call("mintWidgetToken", path, { body })).body.widget_token;
}
const read = (token: string) => face.call("readWidgetToken", `/api/spot/widget/${token}`);
const minutes = (count: number) => face.clock.set(new Date(START.getTime() + count * 60_000));

/** The id of a token's row. */
async function idOf(token: string): Promise<string> {
  const row = face.db.selectFrom("widget_tokens").select("id").where("token_hash", "=", hashToken(token));
  return (await row.executeTakeFirstOrThrow()).id;
}

/** A link that the service itself sends. */
async function mintLink(
  purpose: "card_change" | "insurer_access",
  about: { readonly orderId?: OrderId; readonly beneficiaryId?: string } = {},
): Promise<string> {
  const now = face.clock.now();
  const { url } = await inTransaction(face.database.db, (tx) =>
    mintSelfServiceToken({ ids: systemIds, widgetHostUrl: "https://widget.example" }, tx, {
      provider: clinic.provider,
      publicKey: clinic.credentials.public_key,
      purpose,
      beneficiaryId: null,
      rut: "12345678-5",
      ...about,
      now,
      expiresAt: new Date(now.getTime() + 3_600_000),
    }),
  );
  return new URL(url).searchParams.get("widget_token") ?? "";
}

/** Simulates an outage of parties that have never returned a key. */
async function whileKeysAreAway<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  face.parties.sealingKeysAway = true;
  try {
    return await ask();
  } finally {
    face.parties.sealingKeysAway = false;
  }
}

async function register(token: string, person: Readonly<Record<keyof typeof CAMILA, string>> = CAMILA) {
  const path = `/api/spot/user?public_key=${clinic.credentials.public_key}`;
  const answer = await face.call("registerPatient", path, {
    body: { ...person, widget_token: token, consents: given("onboarding") },
  });
  await face.prove(clinic);
  return answer;
}

describe("GET /api/spot/widget/{token}", () => {
  describe("200", () => {
    it("compresses a session only for a browser that accepts gzip", async () => {
      const token = await mint({ order_token: await face.createOrder(clinic) });
      const fetched = (encoding: string) =>
        fetch(`${face.url}/api/spot/widget/${token}`, { headers: { "Accept-Encoding": encoding } });
      const [compressed, plain] = [await fetched("gzip, br"), await fetched("identity")];
      expect(compressed.headers.get("content-encoding")).toBe("gzip");
      expect(plain.headers.get("content-encoding")).toBeNull();
      const [less, more] = [compressed, plain].map(({ headers }) => Number(headers.get("content-length")));
      expect(less).toBeLessThan(0.6 * (more ?? 0));
      expect(await compressed.json()).toEqual(await plain.json());
    });

    it("shows a meta-provider's patient the sub-clinic that provider_data names", async () => {
      const meta = await face.makeProvider({
        meta: true,
        supportPhone: "+56221234567",
        logoUrl: "https://cdn.example/red.svg",
      });
      const provider_data = {
        rut: "76.902.223-6",
        name: "Centro Ñuñoa",
        logo_url: "https://cdn.example/nunoa.svg",
        support_email: "ayuda@nunoa.example",
      };
      const shown = async (data: object) => {
        const path = `/api/spot/widget?public_key=${meta.credentials.public_key}`;
        const { body } = await face.call("mintWidgetToken", path, { body: { provider_data: data } });
        return (await read(body.widget_token)).body.provider;
      };
      expect(await shown(provider_data)).toMatchObject({
        name: "Centro Ñuñoa",
        logo_url: "https://cdn.example/nunoa.svg",
        support: { email: "ayuda@nunoa.example", phone: null },
      });
      // A sub-clinic with its own name does not get another's logo.
      expect((await shown({ ...provider_data, logo_url: undefined })).logo_url).toBeNull();
      expect(await shown({})).toMatchObject({
        name: meta.provider.name,
        logo_url: "https://cdn.example/red.svg",
        support: { phone: "+56221234567" },
      });
    });

    it("returns everything that the page needs", async () => {
      const order = await face.createOrder(clinic);
      const { status, body } = await read(await mint({ order_token: order, locale: "en" }));
      expect(status).toBe(200);
      expect(body).toMatchObject({
        event_type: "SPOT_USER_NEW",
        user_data: { rut: CAMILA.rut },
        order_token: order,
        order: { hash: order, status: "pending", customer: { email: "c•••@e•••.com", phone_number: "+56•••••678" } },
        quote: { total: 40_000, today: 12_000, commission: 2_800, later_charge: 30_800 },
        provider: { name: "Clínica Los Aromos del Sur SpA", support: { email: "ayuda@example.com" } },
        client_id: clinic.credentials.client_id,
        public_key: clinic.credentials.public_key,
        parent_origins: [CLINIC_ORIGIN, "https://reservas.example"],
        sealing_keys: { card: { kty: "RSA" }, insurer_access: { kty: "RSA" } },
        locale: "en",
        purpose: "checkout",
        server_time: START.toISOString(),
      });
      const stepsOf = ({ consents }: { consents: { step: string }[] }) => new Set(consents.map(({ step }) => step));
      expect(stepsOf(body)).toEqual(new Set(["onboarding", "payment"]));
      const later = body.consents.find(({ purpose }: { purpose: string }) => purpose === "later_charge");
      expect(later.text).toMatch(/charging it \$30\.800 once more: .* on 5 January 2027\./);
      expect(body.withdrawal).toMatch(/^No right of withdrawal.* ask the clinic for refunds, at ayuda@example\.com\.$/);
      // Without an order there is nothing to pay.
      const { body: alone } = await read(await mint());
      expect(alone).toMatchObject({
        order_token: null,
        order: null,
        quote: null,
        withdrawal: null,
        purpose: "onboarding",
      });
      expect(stepsOf(alone)).toEqual(new Set(["onboarding"]));
      expect(alone.user_data).toEqual({});
    });

    it("is repeatable: a reload resumes, without a cookie", async () => {
      const token = await mint();
      const [first, second] = [await read(token), await read(token)];
      expect(second.body).toEqual(first.body);
      expect(first.headers.get("set-cookie")).toBeNull();
    });

    it("returns only the origin for which the token was minted", async () => {
      expect((await read(await mint({ parent_origin: CLINIC_ORIGIN }))).body.parent_origins).toEqual([CLINIC_ORIGIN]);
    });

    it("returns the return address while it is registered, and the app that the page may message", async () => {
      const app = await face.makeProvider({ returnUrls: ["cl.clinic.app:/paid"] });
      const path = `/api/spot/widget?public_key=${app.credentials.public_key}`;
      const { body } = await face.call("mintWidgetToken", path, {
        body: { native: true, return_url: "cl.clinic.app:/paid" },
      });
      const session = async () => (await read(body.widget_token)).body;
      expect(await session()).toMatchObject({ return_url: "cl.clinic.app:/paid", native: true, parent_origins: [] });
      expect(frameAncestorsFor(await face.page(body.widget_token, null))).toEqual([]);
      await setReturnUrls(face.operations, app.provider.id, []);
      expect(await session()).toMatchObject({ return_url: null, native: true });
      minutes(60);
      expect(await face.page(body.widget_token, null)).toMatchObject({ problem: { return_url: null, native: true } });
      expect((await read(await mint())).body).toMatchObject({ return_url: null, native: false });
    });

    it("reveals no more about a stranger than is_user_subscribed and the expense submission do", async () => {
      await register(await mint());
      const { body } = await read(await mint({ rut: CAMILA.rut }));
      expect(body.event_type).toBe("REFUNDS_LEFT");
      expect(body.user_data).toEqual({ rut: CAMILA.rut });
      expect(JSON.stringify(body)).not.toContain("camila");
    });

    it("skips the sign-up only in the visit that has signed up, even before it is verified", async () => {
      const token = await mint({ order_token: await face.createOrder(clinic) });
      const path = `/api/spot/user?public_key=${clinic.credentials.public_key}`;
      const signUp = { ...CAMILA, widget_token: token, consents: given("onboarding") };
      expect((await face.call("registerPatient", path, { body: signUp })).status).toBe(201);
      expect((await read(token)).body.event_type).toBe("REFUNDS_LEFT");
      const other = await mint({ order_token: await face.createOrder(clinic) });
      expect((await read(other)).body.event_type).toBe("SPOT_USER_NEW");
    });

    it("skips no sign-up if the record has another mailbox than the order", async () => {
      await register(await mint(), { ...CAMILA, email: "otra@example.com" });
      const token = await mint({ order_token: await face.createOrder(clinic) });
      expect((await read(token)).body.event_type).toBe("SPOT_USER_NEW");
      expect((await read(await mint({ rut: CAMILA.rut }))).body.event_type).toBe("REFUNDS_LEFT");
    });

    it("stays readable while a payment is under way, and shows the state of a cancelled order", async () => {
      const order = await face.createOrder(clinic);
      const token = await mint({ order_token: order });
      for (const state of ["paying", "payment_failed", "cancelled"] as const) {
        await face.moveOrder(clinic, order, state);
        expect((await read(token)).status).toBe(200);
      }
      expect((await read(token)).body).toMatchObject({ order: { status: "cancelled" }, quote: null });
    });
  });

  describe("404", () => {
    it.each(["3f2504e0-4f89-41d3-9a0c-0305e82c3301", "not-a-token", "%00", "..%2F..%2F"])(
      "widget_token_not_found for %s",
      async (token) => {
        expect((await read(token)).body.code).toBe("widget_token_not_found");
      },
    );

    it("widget_token_not_found for a token of an inactive provider", async () => {
      const token = await mint();
      await face.db.updateTable("providers").set({ active: false }).where("id", "=", clinic.provider.id).execute();
      expect((await read(token)).body.code).toBe("widget_token_not_found");
    });
  });

  describe("410", () => {
    it("widget_token_expired from the moment of its expiry", async () => {
      const token = await mint({ expires_in_minutes: 15 });
      minutes(14.99);
      expect((await read(token)).status).toBe(200);
      minutes(15);
      expect((await read(token)).body).toMatchObject({
        code: "widget_token_expired",
        detail: "Este enlace venció. Pide uno nuevo.",
      });
    });

    it("widget_token_used once the order is paid, for every token of the order", async () => {
      const order = await face.createOrder(clinic);
      const tokens = [await mint({ order_token: order }), await mint({ order_token: order })];
      const others = [await mint({ order_token: await face.createOrder(clinic) }), await mint()];
      await face.moveOrder(clinic, order, "paid");
      for (const token of tokens) expect((await read(token)).body.code).toBe("widget_token_used");
      for (const token of others) expect((await read(token)).status).toBe(200);
    });

    it("widget_token_used for a token that was minted while the payment was being recorded", async () => {
      const order = await face.createOrder(clinic);
      const token = await mint({ order_token: order });
      await face.moveOrder(clinic, order, "refunded");
      await face.db.updateTable("widget_tokens").set({ used_at: null }).where("order_id", "=", order).execute();
      expect((await read(token)).body.code).toBe("widget_token_used");
    });

    it("widget_token_used to a request that loses the race for a token, and only for that token", async () => {
      const [token, other] = [await mint(), await mint()];
      const id = await idOf(token);
      const use = () => inTransaction(face.db, (tx) => spendToken(tx, id, face.clock.now()));
      await use();
      await expect(use()).rejects.toMatchObject({ code: "widget_token_used" });
      expect([(await read(token)).status, (await read(other)).status]).toEqual([410, 200]);
    });

    it("widget_token_used at the end of an onboarding without an order, later widget_token_expired", async () => {
      const [token, other] = [await mint(), await mint()];
      await register(token);
      expect((await read(token)).body.code).toBe("widget_token_used");
      expect((await read(other)).status).toBe(200);
      minutes(60);
      expect((await read(token)).body.code).toBe("widget_token_expired");
    });
  });

  it("opens a checkout without the keys of parties that are down", async () => {
    const token = await mint({ order_token: await face.createOrder(clinic) });
    const { status, body } = await whileKeysAreAway(() => read(token));
    expect({ status, keys: body.sealing_keys }).toEqual({ status: 200, keys: { card: null, insurer_access: null } });
    expect((await read(token)).body.sealing_keys).toMatchObject({
      card: { kty: "RSA" },
      insurer_access: { kty: "RSA" },
    });
  });

  describe("503", () => {
    it.each(["card_change", "insurer_access"] as const)(
      "reveals nothing internal on a %s page while the party that returns its key is down",
      async (purpose) => {
        const token = await mintLink(purpose);
        const { status, body, headers } = await whileKeysAreAway(() => read(token));
        expect({ status, code: body.code, after: headers.get("retry-after") }).toEqual({
          status: 503,
          code: "service_unavailable",
          after: "5",
        });
        expect(JSON.stringify(body)).not.toContain("away");
        expect((await read(token)).status).toBe(200);
      },
    );
  });
});

describe("visits with a proof of who the patient is", () => {
  const registered = async (rut: string): Promise<string> =>
    (await register(await mint(), { ...CAMILA, rut })).body.beneficiary_id;

  it("are those of the patient's own checkouts, until an objection to the proof", async () => {
    const [camila, matias] = [await registered(CAMILA.rut), await registered(MATIAS.rut)];
    const [order, other] = [await face.createOrder(clinic), await face.createOrder(clinic)];
    const visits = [await mint({ order_token: order }), await mint({ order_token: order })];
    const ofOther = await mint({ order_token: other });
    const link = await mintLink("card_change", { orderId: order, beneficiaryId: camila });
    const of = (orderId: OrderId) => ({ providerId: clinic.provider.id, orderId });
    const [ids, idOfOther] = [await Promise.all(visits.map(idOf)), await idOf(ofOther)];
    const { rows } = await sql<{ id: string }>`${widgetTokensOf(of(order))}`.execute(face.db);
    expect(rows.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const proven = () =>
      Promise.all(
        [order, other].flatMap((one) => [camila, matias].map((who) => isPatientOfOrder(face.db, of(one), who))),
      );
    // A link in a mail proves nothing.
    expect(await proven()).toEqual([false, false, false, false]);
    await inTransaction(face.db, async (tx) => {
      await noteProvenVisit(tx, ids[0] ?? "", camila);
      await noteProvenVisit(tx, idOfOther, matias);
    });
    expect(await proven()).toEqual([true, false, false, true]);
    await inTransaction(face.db, (tx) => forgetProvenVisits(tx, camila));
    expect(await proven()).toEqual([false, false, false, true]);
    const sent = face.db
      .selectFrom("widget_tokens")
      .select("beneficiary_id")
      .where("id", "=", await idOf(link));
    expect(await sent.execute()).toEqual([{ beneficiary_id: camila }]);
  });
});

it("the lookup of several tokens returns exactly those that exist, in any state", async () => {
  const [live, ended, _beside] = [await mint(), await mint({ expires_in_minutes: 15 }), await mint()];
  minutes(15);
  const named = [live, ended, "3f2504e0-4f89-41d3-9a0c-0305e82c3301"];
  const asked = named.map((token) => readWidgetToken(token)).filter((token) => token !== null);
  const { counted, rowsReturned } = countingRows(face.db);
  expect(await existingTokens(counted, asked)).toEqual(new Set([live, ended]));
  expect(rowsReturned()).toBe(2);
});

describe("the page of a token", () => {
  const problem = async (token: string | null, key: string | null = clinic.credentials.public_key) => {
    const state = await face.page(token, key);
    return "session" in state ? state.session : "problem" in state ? state.problem : state.returned;
  };

  it("contains the session, and is framable by exactly the token's origins", async () => {
    const token = await mint({ parent_origin: CLINIC_ORIGIN });
    const state = await face.page(token, null);
    expect(state).toMatchObject({ session: { parent_origins: [CLINIC_ORIGIN] } });
    expect(frameAncestorsFor(state)).toEqual([CLINIC_ORIGIN]);
  });

  it("still loads for an unknown token, framable by the provider of the public key", async () => {
    for (const token of [null, "x", "3f2504e0-4f89-41d3-9a0c-0305e82c3301"]) {
      const state = await face.page(token, clinic.credentials.public_key);
      expect(state).toMatchObject({ problem: { code: "widget_token_not_found", provider_name: clinic.provider.name } });
      expect(frameAncestorsFor(state)).toEqual([CLINIC_ORIGIN, "https://reservas.example"]);
    }
  });

  it("is not framable when neither token nor key is known", async () => {
    const state = await face.page("x", "PK_unknown");
    expect(frameAncestorsFor(state)).toEqual([]);
    expect(state).toMatchObject({ problem: { provider_name: null, support: null, return_url: null, native: false } });
    expect(await face.page("x", null)).toEqual(state);
  });

  it("shows the outcome of a used token, read-only, until it expires", async () => {
    const order = await face.createOrder(clinic);
    const token = await mint({ order_token: order });
    await face.moveOrder(clinic, order, "paid");
    const used = { code: "widget_token_used", purpose: "checkout", order: { hash: order, status: "paid" } };
    expect(await problem(token)).toMatchObject({ ...used, client_id: clinic.credentials.client_id });
    minutes(60);
    const expired = { code: "widget_token_expired", purpose: "checkout", order: null, client_id: null };
    expect(await problem(token)).toMatchObject(expired);
    expect(await problem("x")).toMatchObject({ purpose: null, order: null });
  });

  it("has no outcome for a used onboarding without an order", async () => {
    const token = await mint();
    await register(token);
    expect(await problem(token)).toMatchObject({ code: "widget_token_used", purpose: "onboarding", order: null });
  });

  it("reports an outage as an outage, not as a bad token", async () => {
    const token = await mintLink("card_change");
    expect(await whileKeysAreAway(() => problem(token))).toMatchObject({
      code: "service_unavailable",
      purpose: "card_change",
      native: false,
    });
    expect(face.log()).toContain('"widget_tokens.no_session"');
  });

  it("reports an error and logs the cause if its clinic has no public credentials", async () => {
    const token = await mint();
    const credentials = face.db.updateTable("credentials").set({ ends_at: face.clock.now() });
    await credentials.where("provider_id", "=", clinic.provider.id).where("kind", "=", "public_key").execute();
    expect(await problem(token)).toMatchObject({ code: "service_unavailable", purpose: "onboarding" });
    expect(face.log()).toContain("public_credentials_missing");
  });
});
