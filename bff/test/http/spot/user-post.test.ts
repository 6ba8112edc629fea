import { describe, expect, it } from "vitest";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { findBeneficiaryById } from "../../../src/patients/patients.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { withdrawSignUp } from "../../../src/self-service/withdraw-consent.ts";
import { auditOf } from "../audit-of.ts";
import { expenseForm, pdf } from "./expense-forms.ts";
import { CAMILA, given, MATIAS } from "./people.ts";
import { beginEach, clinicsHaveTheirOwnPatients, type SpotFace, START, type TestProvider } from "./spot-face.ts";

let face: SpotFace;
let clinic: TestProvider;
beginEach((beginning) => {
  ({ face, clinic } = beginning);
});

async function mint(body: Record<string, unknown> = {}, by = clinic): Promise<string> {
  const path = `/api/spot/widget?public_key=${by.credentials.public_key}`;
  return (await face.call("mintWidgetToken", path, { body })).body.widget_token;
}

async function register(person: Record<string, unknown> = {}, by = clinic, userAgent = "test/1") {
  const path = `/api/spot/user?public_key=${by.credentials.public_key}`;
  const widget_token = person.widget_token ?? (await mint({}, by));
  return face.call("registerPatient", path, {
    body: { ...CAMILA, consents: given("onboarding"), ...person, widget_token },
    headers: { "user-agent": userAgent },
  });
}

const people = () =>
  face.db
    .selectFrom("beneficiaries")
    .selectAll()
    .where("provider_id", "=", clinic.provider.id)
    .orderBy("created_at")
    .execute();
/** The patients that a lookup by RUT finds. */
const records = async () => (await people()).filter(({ proof_until }) => proof_until === null);
const prove = () => face.prove(clinic);
const sealed = "eyJhbGciOiJSU0EifQ.a1-_.b2.c3.d4";

describe("POST /api/spot/user", () => {
  describe("201", () => {
    it.each(["+4915123456704", "+49 1512 3456704"])(
      "accepts the foreign mobile %s, which by chance looks like a valid card number",
      async (phone_number) => {
        expect((await register({ phone_number })).status).toBe(201);
        expect((await people()).map((person) => person.phone_number)).toEqual(["+4915123456704"]);
      },
    );

    it("creates the user and the beneficiary, and returns the RUT and the phone as stored", async () => {
      const { status, body } = await register({ rut: "40.100.000-3", phone_number: "9 1234 5678" });
      expect(status).toBe(201);
      expect(body.event_type).toBe("REFUNDS_LEFT");
      const [person] = await people();
      expect(person).toMatchObject({
        id: body.beneficiary_id,
        user_id: body.user_id,
        rut: "40100000-3",
        phone_number: "+56912345678",
        insurer: "colmena",
        sealed_insurer_access: null,
      });
    });

    it("answers unproven until the token expires, and proven once the patient is", async () => {
      const { body } = await register();
      expect(body).toMatchObject({ status: "unproven", proof_until: "2026-11-21T13:00:00.000Z" });
      await prove();
      expect((await register()).body).toMatchObject({ status: "proven", proof_until: null });
    });

    it("lets a registration end at proof_until, after which a receipt of the RUT is answered 404", async () => {
      const { body } = await register();
      const path = `/api/spot/gastos?public_key=${clinic.credentials.public_key}&rut=${CAMILA.rut}`;
      face.clock.set(new Date(Date.parse(body.proof_until) - 1));
      expect((await face.call("submitExpense", path, { form: expenseForm([pdf()]) })).status).toBe(200);
      face.clock.set(new Date(body.proof_until));
      const late = await face.call("submitExpense", path, { form: expenseForm([pdf()]) });
      expect([late.status, late.body.code]).toEqual([404, "beneficiary_not_found"]);
    });

    it("creates a registration without effect until verified, then the record with the same ids", async () => {
      const { body } = await register();
      expect(await records()).toEqual([]);
      await prove();
      expect(await records()).toMatchObject([{ id: body.beneficiary_id, tenant: tenantOf(clinic.provider) }]);
    });

    it("is audited when created and when verified", async () => {
      const { body } = await register();
      await prove();
      const by = { actor: "patient", credential_id: null, provider_id: clinic.provider.id };
      const of = { subject_kind: "beneficiary", subject_id: body.beneficiary_id };
      expect(await auditOf(face.db, body.beneficiary_id)).toEqual([
        { act: "beneficiary.registered", ...by, ...of, details: { proved_by: "registry" } },
        { act: "registration.made", ...by, ...of, details: {} },
      ]);
    });

    it("is not blocked by unverified registrations", async () => {
      await register({ email: "stranger@example.org" });
      expect((await register()).status).toBe(201);
    });

    it("lets several people share an e-mail address: a parent and children", async () => {
      const parent = await register();
      const child = await register({ rut: MATIAS.rut, first_name: "Matías", email: "CAMILA@example.com" });
      expect(child.status).toBe(201);
      expect(child.body.user_id).toBe(parent.body.user_id);
      expect(child.body.beneficiary_id).not.toBe(parent.body.beneficiary_id);
    });

    it("stores the sealed insurer access unchanged, and only with the consent for it", async () => {
      const without = await register({ sealed_insurer_access: sealed });
      expect(without.body.code).toBe("consents_missing");
      const { status } = await register({
        sealed_insurer_access: sealed,
        consents: given("onboarding", "insurer_access"),
      });
      expect(status).toBe(201);
      expect((await people())[0]?.sealed_insurer_access).toBe(sealed);
    });

    it("stores every consent with its text, when it was shown and accepted, and from where", async () => {
      const token = await mint({ parent_origin: "https://clinic.example" });
      const texts = given("onboarding", "marketing");
      const shown = `/api/spot/widget/shown?public_key=${clinic.credentials.public_key}`;
      await face.call("reportShown", shown, { body: { widget_token: token, texts } });
      face.clock.advance(60_000);
      await register({ widget_token: token, consents: texts });
      await prove();
      const kept = await face.db
        .selectFrom("consents")
        .selectAll()
        .where("provider_id", "=", clinic.provider.id)
        .execute();
      expect(new Set(kept.map(({ purpose }) => purpose))).toEqual(
        new Set(["claim_mandate", "health_data", "marketing"]),
      );
      expect(kept[0]).toMatchObject({
        rut: CAMILA.rut,
        shown_at: START,
        accepted_at: new Date(START.getTime() + 60_000),
        user_agent: "test/1",
        embedding_origin: "https://clinic.example",
      });
    });

    it("truncates a very long user agent like the payment does", async () => {
      await register({}, clinic, `test/${"1".repeat(600)}`);
      const { user_agent } = await face.db
        .selectFrom("consents")
        .select("user_agent")
        .where("provider_id", "=", clinic.provider.id)
        .executeTakeFirstOrThrow();
      expect(user_agent).toHaveLength(512);
    });

    it.runIf(clinicsHaveTheirOwnPatients)(
      "separates the people of staging providers, so that one finds none of another's",
      async () => {
        await register();
        const other = await face.makeProvider();
        expect((await register({ email: "somebody.else@example.com" }, other)).status).toBe(201);
      },
    );
  });

  describe("200", () => {
    it("finds the same record by RUT and e-mail, whatever else is sent", async () => {
      const first = await register();
      await prove();
      const again = await register({
        rut: "40.100.000-3",
        email: " Camila@Example.com ",
        insurer: "consalud",
        last_name: "X",
      });
      expect(again.status).toBe(200);
      expect(again.body).toEqual({ ...first.body, status: "proven", proof_until: null });
      expect(await records()).toMatchObject([{ insurer: "colmena", last_name: "Rojas Fuentes" }]);
    });

    it("changes the record only when verified again, and then replaces the access together with its insurer", async () => {
      const consents = given("onboarding", "insurer_access");
      const { body } = await register({ sealed_insurer_access: sealed, consents });
      await prove();
      const patient = await findBeneficiaryById(face.db, body.beneficiary_id);
      if (patient === null) throw new Error("no patient was registered");
      await inTransaction(face.db, (tx) =>
        withdrawSignUp(tx, face, patient, { purposes: ["claim_mandate"], at: START }),
      );
      expect(await records()).toMatchObject([{ insurer: "colmena", sealed_insurer_access: null }]);
      const newAccess = "eyJhbGciOiJSU0EifQ.a5-_.b6.c7.d8";
      await register({ insurer: "consalud", sealed_insurer_access: newAccess, consents });
      expect(await records()).toMatchObject([{ insurer: "colmena", sealed_insurer_access: null }]);
      await prove();
      expect(await records()).toMatchObject([{ insurer: "consalud", sealed_insurer_access: newAccess }]);
    });

    it("creates one record from twenty registrations verified at once", async () => {
      const tokens = await Promise.all(Array.from({ length: 20 }, () => mint()));
      await Promise.all(tokens.map((widget_token) => register({ widget_token })));
      await Promise.all([prove(), prove(), prove()]);
      expect(await records()).toHaveLength(1);
      expect((await register()).status).toBe(200);
    });
  });

  describe("400", () => {
    it("consents_missing without a required consent, or with an outdated text", async () => {
      const [one, ...rest] = given("onboarding");
      expect((await register({ consents: [] })).body.code).toBe("consents_missing");
      expect((await register({ consents: rest })).body.code).toBe("consents_missing");
      expect((await register({ consents: [{ ...one, text_sha256: "0".repeat(64) }, ...rest] })).body.code).toBe(
        "consents_missing",
      );
      expect(await people()).toEqual([]);
    });
  });

  describe("401", () => {
    it("invalid_public_key for an unknown key and for another kind of credential", async () => {
      for (const key of ["PK_x", clinic.credentials.client_secret]) {
        const answer = await face.call("registerPatient", `/api/spot/user?public_key=${key}`, { body: {} });
        expect(answer.body.code).toBe("invalid_public_key");
      }
    });
  });

  describe("404", () => {
    it("widget_token_not_found for an unknown token, and for another provider's", async () => {
      const other = await face.makeProvider();
      const foreign = await mint({}, other);
      for (const widget_token of ["3f2504e0-4f89-41d3-9a0c-0305e82c3301", foreign]) {
        expect((await register({ widget_token, rut: "bad" })).body.code).toBe("widget_token_not_found");
      }
    });
  });

  describe("409", () => {
    it("RUT_OTHER_EMAIL with a hint and the ways to continue, but nothing else about the person", async () => {
      await register();
      await prove();
      const { body } = await register({ email: "stranger@example.org", first_name: "Otra" });
      expect(body).toEqual({
        detail: "Este RUT ya está registrado con otro correo.",
        code: "RUT_OTHER_EMAIL",
        email_hint: "c•••@e•••.com",
        recovery: ["email_code", "identity"],
      });
      expect(await people()).toHaveLength(1);
    });

    it("treats other encodings of one non-ASCII address as the same", async () => {
      const { body: first } = await register({ email: "ñandú@ñandú.cl" });
      await prove();
      const again = await register({ email: "ÑANDÚ@Ñandú.CL".normalize("NFD") });
      expect([again.status, again.body.beneficiary_id]).toEqual([200, first.beneficiary_id]);
      const { status, body } = await register({ email: "nandu@ñandú.cl" });
      expect([status, body.email_hint]).toEqual([409, "ñ•••@•••.cl"]);
    });

    it("gives a RUT that several register at once to the first who verifies", async () => {
      const tokens = await Promise.all(
        Array.from({ length: 6 }, async () => mint({ order_token: await face.createOrder(clinic) })),
      );
      const answers = await Promise.all(
        tokens.map((widget_token, index) => register({ widget_token, email: `person${index}@example.org` })),
      );
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201, 201]);
      await Promise.all([prove(), prove()]);
      expect((await register({ widget_token: tokens[0], email: "stranger@example.org" })).status).toBe(409);
      expect(await records()).toHaveLength(1);
      const kept = await face.db
        .selectFrom("consents")
        .select("id")
        .where("provider_id", "=", clinic.provider.id)
        .where("rut", "=", parseRut(CAMILA.rut))
        .execute();
      expect(kept).toHaveLength(given("onboarding").length);
    });

    it("leaves the token usable, and stores no consent", async () => {
      await register();
      await prove();
      const token = await mint();
      await register({ widget_token: token, email: "stranger@example.org" });
      expect((await face.call("readWidgetToken", `/api/spot/widget/${token}`)).status).toBe(200);
      const kept = await face.db
        .selectFrom("consents")
        .select("id")
        .where("provider_id", "=", clinic.provider.id)
        .execute();
      expect(kept).toHaveLength(2);
    });
  });

  describe("410", () => {
    it("widget_token_used after an onboarding without an order, which uses the token up once", async () => {
      const token = await mint();
      const answers = await Promise.all([
        register({ widget_token: token }),
        register({ widget_token: token, ...MATIAS }),
      ]);
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 410]);
      expect(await people()).toHaveLength(1);
    });

    it("leaves a token with an order usable: its payment ends the token", async () => {
      const order_token = await face.createOrder(clinic);
      const token = await mint({ order_token });
      expect((await register({ widget_token: token })).status).toBe(201);
      expect((await register({ widget_token: token })).status).toBe(200);
      await face.moveOrder(clinic, order_token, "paid");
      expect((await register({ widget_token: token })).body.code).toBe("widget_token_used");
    });

    it("widget_token_expired, also for a sign-up without its consents", async () => {
      const token = await mint();
      face.clock.advance(60 * 60_000);
      const { status, body } = await register({ widget_token: token, consents: [] });
      expect([status, body.code]).toEqual([410, "widget_token_expired"]);
    });

    it("widget_token_expired", async () => {
      const token = await mint();
      face.clock.advance(3_600_000);
      expect((await register({ widget_token: token })).body.code).toBe("widget_token_expired");
    });
  });

  describe("422", () => {
    it.each([
      [{ rut: "40100000-4" }, "rut"],
      [{ rut: "76.900.001-1" }, "rut"],
      [{ first_name: " " }, "first_name"],
      [{ last_name: "x".repeat(256) }, "last_name"],
      [{ email: "camila@" }, "email"],
      [{ phone_number: "123" }, "phone_number"],
      [{ insurer: "isapre-x" }, "insurer"],
      [{ sealed_insurer_access: "my password" }, "sealed_insurer_access"],
      [{ consents: "all" }, "consents"],
    ])("validation_error for %j", async (person, path) => {
      expect((await register(person)).body).toMatchObject({ code: "validation_error", errors: [{ path }] });
    });

    it("insurer_not_supported for fonasa and none, with a message for the patient", async () => {
      for (const insurer of ["fonasa", "none"]) {
        const { body } = await register({ insurer });
        expect(body).toMatchObject({ code: "insurer_not_supported", detail: "Por ahora solo funciona con isapre." });
      }
    });

    it("validation_error for another patient than the order's", async () => {
      const token = await mint({ order_token: await face.createOrder(clinic) });
      const { body } = await register({ widget_token: token, rut: MATIAS.rut });
      expect(body).toMatchObject({ code: "validation_error", errors: [{ path: "rut" }] });
    });

    it("raw_card_refused for a card number in any field", async () => {
      expect((await register({ last_name: "4051 8856 0044 6623" })).body.code).toBe("raw_card_refused");
    });

    it.each([
      ["of sixteen digits", "+4051885600446623"],
      ["of fifteen digits", "+378282246310005"],
      ["of fourteen digits", "+36227206271667"],
      ["without the plus, of thirteen digits", "4915123456704"],
    ])("raw_card_refused for a card number %s in the telephone field", async (_digits, phone_number) => {
      expect((await register({ phone_number })).body.code).toBe("raw_card_refused");
    });

    it("raw_card_refused for a foreign mobile's digits in any other field", async () => {
      expect((await register({ last_name: "+4915123456704" })).body.code).toBe("raw_card_refused");
    });
  });

  it("logs no personal data", () => {
    for (const secret of ["40100000", "camila@", "Rojas", "912345678", sealed])
      expect(face.log()).not.toContain(secret);
  });
});
