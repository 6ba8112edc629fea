import { sql } from "kysely";
import { describe, expect, it, vi } from "vitest";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { inTransaction } from "../../../src/platform/database/transaction.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { pseudonymise } from "../../../src/self-service/my-data/erase-everywhere.ts";
import { withoutDrawnNames } from "../../without-drawn-names.ts";
import { auditOf, auditRows } from "../audit-of.ts";
import { CAMILA, given, MATIAS } from "./people.ts";
import { beginEach, type SpotFace, START, type TestProvider } from "./spot-face.ts";

let face: SpotFace;
let clinic: TestProvider;
beginEach(async (beginning) => {
  ({ face, clinic } = beginning);
  const answer = await register(await mint());
  expect(answer.status).toBe(201);
});

const NEW_EMAIL = "nueva@example.org";
/** From the sandbox's catalogue. */
const SERIAL = { good: "123456789", rejected: "100000001", notValid: "100000002", registryDown: "100000003" };

const key = (by = clinic) => `public_key=${by.credentials.public_key}`;
async function mint(body: Record<string, unknown> = {}, by = clinic): Promise<string> {
  return (await face.call("mintWidgetToken", `/api/spot/widget?${key(by)}`, { body })).body.widget_token;
}
/** Signs up as the widget does, and verifies the address. */
async function register(widget_token: string, person: Record<string, unknown> = {}) {
  const answer = await face.call("registerPatient", `/api/spot/user?${key()}`, {
    body: { ...CAMILA, consents: given("onboarding"), ...person, widget_token },
  });
  await face.prove(clinic);
  return answer;
}
const start = (widget_token: string, body: Record<string, unknown> = {}) =>
  face.call("startRecovery", `/api/spot/user/recovery?${key()}`, {
    body: { rut: CAMILA.rut, way: "email_code", ...body, widget_token },
  });
const startByIdentity = (widget_token: string, body: Record<string, unknown> = {}) =>
  start(widget_token, { way: "identity", document_serial: SERIAL.good, email: NEW_EMAIL, ...body });
const verify = (widget_token: string, code: string, rut: string = CAMILA.rut, signUp: Record<string, unknown> = {}) =>
  face.call("verifyRecovery", `/api/spot/user/recovery/verify?${key()}`, {
    body: { ...signUp, rut, code, widget_token },
    headers: { "user-agent": "test/1" },
  });
/** What the patient had typed and ticked when the RUT turned out to be registered. */
async function signUp() {
  const sealed_insurer_access = await face.sealAccess({ insurer: "consalud", rut: CAMILA.rut });
  return { insurer: "consalud", sealed_insurer_access, consents: given("onboarding", "insurer_access") };
}
const object = (widget_token: string) =>
  face.call("objectToEmailChange", `/api/spot/user/recovery/objection?${key()}`, { body: { widget_token } });
/** Runs something during the next registry call, which then confirms the document. */
const whileRegistryIsAsked = (happens: () => Promise<unknown>) =>
  vi.spyOn(face.dependencies.identityRegistry, "check").mockImplementationOnce(async () => {
    await happens();
    return { outcome: "match" };
  });
const seconds = (count: number) => face.clock.advance(count * 1_000);

async function mails() {
  await face.runDue();
  return face.mailbox(clinic);
}
async function lastCode(): Promise<string> {
  const mail = (await mails()).findLast(({ subject }) => subject.startsWith("Tu código"));
  const code = /\b\d{6}\b/.exec(mail?.text ?? "")?.[0];
  if (code === undefined) throw new Error("no code was sent");
  return code;
}
const other = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, "0");
const beneficiary = () =>
  face.db
    .selectFrom("beneficiaries")
    .selectAll()
    .where("tenant", "=", tenantOf(clinic.provider))
    .executeTakeFirstOrThrow();
/** The clinic's newest recovery. */
const newest = async (table: "email_changes" | "recoveries") =>
  (
    await face.db
      .selectFrom(table)
      .select("id")
      .where("provider_id", "=", clinic.provider.id)
      .orderBy(table === "recoveries" ? "created_at" : "changed_at", "desc")
      .executeTakeFirstOrThrow()
  ).id;
/** The audit row of an act by the patient themselves. */
const ofPatient = ({ beneficiary_id }: { readonly beneficiary_id: string }) => ({
  actor: "patient",
  credential_id: null,
  provider_id: clinic.provider.id,
  subject_kind: "beneficiary",
  subject_id: beneficiary_id,
});
const emailOf = async (rut: string = CAMILA.rut) =>
  (
    await face.db
      .selectFrom("beneficiaries")
      .innerJoin("users", "users.id", "beneficiaries.user_id")
      .select("email")
      .where("beneficiaries.tenant", "=", tenantOf(clinic.provider))
      .where("rut", "=", parseRut(rut))
      .executeTakeFirst()
  )?.email;

describe("POST /api/spot/user/recovery", () => {
  describe("202", () => {
    it("sends a code to the registered address, and reveals only the hint to the stranger", async () => {
      const { status, body } = await start(await mint());
      expect(status).toBe(202);
      expect(body).toEqual({
        sent_to: "c•••@e•••.com",
        expires_at: new Date(START.getTime() + 600_000).toISOString(),
        resend_after: new Date(START.getTime() + 60_000).toISOString(),
      });
      expect((await mails()).map(({ to }) => to)).toEqual(["camila@example.com"]);
    });

    it("sends the code of a recovery by identity to the new address", async () => {
      const { status, body } = await startByIdentity(await mint(), { document_serial: "123.456.789" });
      expect(status).toBe(202);
      expect(body.sent_to).toBe("n•••@e•••.org");
      expect((await mails()).map(({ to }) => to)).toEqual([NEW_EMAIL]);
      expect(await emailOf()).toBe("camila@example.com");
    });

    it("sends no code that expired before its mail could leave", async () => {
      await start(await mint());
      seconds(600);
      expect(await mails()).toEqual([]);
    });

    it("replaces the previous code once the pause is over", async () => {
      const token = await mint();
      await start(token);
      const first = await lastCode();
      seconds(60);
      expect((await start(token)).status).toBe(202);
      expect((await verify(token, first)).body.code).toMatch(/recovery_code_invalid/);
      expect((await verify(token, await lastCode())).status).toBe(200);
    });

    it("keeps neither code nor serial in the clear", async () => {
      await startByIdentity(await mint());
      const code = await lastCode();
      const rows = JSON.stringify([
        await face.db.selectFrom("recoveries").selectAll().execute(),
        await face.db.selectFrom("recovery_identity_checks").selectAll().execute(),
        await face.db.selectFrom("notices").selectAll().execute(),
        await face.db.selectFrom("timers").selectAll().execute(),
      ]);
      for (const secret of [code, SERIAL.good]) {
        expect(withoutDrawnNames(rows)).not.toContain(secret);
        expect(withoutDrawnNames(face.log())).not.toContain(secret);
      }
    });
  });

  describe("404", () => {
    it("beneficiary_not_found for an unregistered RUT", async () => {
      expect((await start(await mint(), { rut: MATIAS.rut })).body.code).toBe("beneficiary_not_found");
    });

    it("beneficiary_not_found before any check of whose order it is, as everywhere a 404 comes first", async () => {
      const ordered = await mint({ order_token: await face.createOrder(clinic) });
      expect((await start(ordered, { rut: MATIAS.rut })).body.code).toBe("beneficiary_not_found");
    });

    it("beneficiary_not_found if the patient is erased during the registry check", async () => {
      const { id: beneficiaryId } = await face.db
        .selectFrom("beneficiaries")
        .select("id")
        .where("tenant", "=", tenantOf(clinic.provider))
        .executeTakeFirstOrThrow();
      const person = {
        beneficiaryId,
        tenant: tenantOf(clinic.provider),
        rut: CAMILA.rut,
        addressedTo: null,
        at: START,
      };
      const erased = { userId: systemIds.uuid(), pseudonym: `erased:${beneficiaryId}` };
      whileRegistryIsAsked(() => inTransaction(face.db, (tx) => pseudonymise(tx, person, erased)));
      expect((await startByIdentity(await mint())).body.code).toBe("beneficiary_not_found");
      expect(await mails()).toEqual([]);
    });

    it("widget_token_not_found for an unknown and for another provider's token", async () => {
      const foreign = await mint({}, await face.makeProvider());
      for (const token of ["3f2504e0-4f89-41d3-9a0c-0305e82c3301", foreign]) {
        expect((await start(token)).body.code).toBe("widget_token_not_found");
      }
    });
  });

  describe("410", () => {
    it("widget_token_expired or widget_token_used for an ended token", async () => {
      const token = await mint();
      await start(token);
      await verify(token, await lastCode());
      expect((await start(token)).body.code).toBe("widget_token_used");
      const late = await mint();
      seconds(3_600);
      expect((await start(late)).body.code).toBe("widget_token_expired");
    });
  });

  describe("422", () => {
    it("validation_error by identity without its proof, and for another patient than the order's", async () => {
      const token = await mint();
      const lacking = await startByIdentity(token, { document_serial: undefined, email: undefined });
      expect(lacking.body).toMatchObject({
        code: "validation_error",
        errors: [{ path: "document_serial" }, { path: "email" }],
      });
      const ordered = await mint({ order_token: await face.createOrder(clinic, { rut: MATIAS.rut }) });
      expect((await start(ordered)).body).toMatchObject({ code: "validation_error", errors: [{ path: "rut" }] });
    });

    it("document_serial_malformed, identity_rejected, identity_document_not_valid", async () => {
      const token = await mint();
      const answer = async (document_serial: string) => (await startByIdentity(token, { document_serial })).body;
      expect((await answer("12345")).code).toBe("document_serial_malformed");
      expect(await answer(SERIAL.rejected)).toMatchObject({ code: "identity_rejected", attempts_left: 4 });
      expect(await answer(SERIAL.notValid)).toMatchObject({ code: "identity_document_not_valid", attempts_left: 3 });
      expect(await mails()).toEqual([]);
    });

    it("identity_attempts_exhausted after five rejections in an hour, across tokens, also concurrent ones", async () => {
      const tokens = await Promise.all(Array.from({ length: 9 }, () => mint()));
      const answers = await Promise.all(
        tokens.map((token) => startByIdentity(token, { document_serial: SERIAL.rejected })),
      );
      const codes = answers.map(({ body }) => body.code);
      expect(codes.filter((code) => code === "identity_rejected")).toHaveLength(5);
      expect(codes.filter((code) => code === "identity_attempts_exhausted")).toHaveLength(4);
      const refused = await startByIdentity(await mint());
      expect(refused.body).toMatchObject({ code: "identity_attempts_exhausted", attempts_left: 0 });
      expect(refused.headers.get("retry-after")).toBe("3600");
      seconds(3_600);
      expect((await startByIdentity(await mint())).status).toBe(202);
    });
  });

  describe("429", () => {
    it("rate_limited during the pause, for every token, and for ten concurrent requests", async () => {
      const tokens = await Promise.all(Array.from({ length: 10 }, () => mint()));
      const answers = await Promise.all(tokens.map((token) => start(token)));
      expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
      expect(answers.filter(({ body }) => body.code === "rate_limited")).toHaveLength(9);
      expect(await mails()).toHaveLength(1);
      const again = await start(await mint());
      expect(again.headers.get("retry-after")).toBe("60");
    });

    it("rate_limited after five codes in an hour", async () => {
      for (let count = 0; count < 5; count += 1) {
        expect((await start(await mint())).status).toBe(202);
        seconds(61);
      }
      expect((await start(await mint())).body.code).toBe("rate_limited");
      seconds(3_600);
      expect((await start(await mint())).status).toBe(202);
    });

    it("rate_limited after ten codes to one address in an hour, for all patients of a family", async () => {
      const child = { rut: "40926386-0", email: CAMILA.email };
      await register(await mint(), { ...child, rut: MATIAS.rut });
      await register(await mint(), child);
      for (let count = 0; count < 5; count += 1) {
        for (const rut of [CAMILA.rut, MATIAS.rut]) expect((await start(await mint(), { rut })).status).toBe(202);
        seconds(61);
      }
      const refused = await start(await mint(), { rut: child.rut });
      expect(refused.body.code).toBe("rate_limited");
      expect(refused.headers.get("retry-after")).toBe(String(3_600 - 5 * 61));
      expect(refused.headers.get("ratelimit-policy")).toBe("10;w=3600");
      const toNew = { rut: child.rut, email: NEW_EMAIL };
      expect((await startByIdentity(await mint(), toNew)).status).toBe(202);
      seconds(3_600);
      expect((await start(await mint(), { rut: child.rut })).status).toBe(202);
    });

    it("does not count addresses to which nothing is sent", async () => {
      const token = await mint();
      for (let count = 0; count < 11; count += 1) await start(token, { rut: MATIAS.rut, email: NEW_EMAIL });
      for (let count = 0; count < 4; count += 1) await startByIdentity(token, { document_serial: SERIAL.rejected });
      expect((await startByIdentity(token)).status).toBe(202);
    });
  });

  describe("503", () => {
    it("identity_registry_unavailable costs no attempt", async () => {
      const token = await mint();
      for (let count = 0; count < 6; count += 1) {
        const { body } = await startByIdentity(token, { document_serial: SERIAL.registryDown });
        expect(body.code).toBe("identity_registry_unavailable");
      }
      expect((await startByIdentity(token)).status).toBe(202);
    });
  });
});

describe("POST /api/spot/user/recovery/verify", () => {
  describe("404", () => {
    it("widget_token_not_found for an unknown and for another provider's token", async () => {
      const foreign = await mint({}, await face.makeProvider());
      for (const token of ["3f2504e0-4f89-41d3-9a0c-0305e82c3301", foreign]) {
        expect((await verify(token, "123456")).body.code).toBe("widget_token_not_found");
      }
    });
  });

  describe("200", () => {
    it("answers as the registration does, changes nothing for the registered address, and ends the token", async () => {
      const token = await mint();
      await start(token);
      const { status, body } = await verify(token, await lastCode());
      expect(status).toBe(200);
      expect(body.event_type).toBe("REFUNDS_LEFT");
      expect(await emailOf()).toBe("camila@example.com");
      expect((await face.call("readWidgetToken", `/api/spot/widget/${token}`)).body.code).toBe("widget_token_used");
    });

    it("does not use up a token with an order, which the order's payment ends", async () => {
      const token = await mint({ order_token: await face.createOrder(clinic) });
      await start(token);
      await verify(token, await lastCode());
      expect((await face.call("readWidgetToken", `/api/spot/widget/${token}`)).body.event_type).toBe("REFUNDS_LEFT");
    });

    it("moves the RUT to the new address by identity, without access, notifies the old one, and is audited", async () => {
      const sealed_insurer_access = await face.sealAccess({ insurer: CAMILA.insurer, rut: CAMILA.rut });
      await register(await mint(), { sealed_insurer_access, consents: given("onboarding", "insurer_access") });
      const token = await mint();
      await startByIdentity(token);
      const { status, body } = await verify(token, await lastCode());
      expect(status).toBe(200);
      expect(await emailOf()).toBe(NEW_EMAIL);
      const [person] = await face.db
        .selectFrom("beneficiaries")
        .selectAll()
        .where("tenant", "=", tenantOf(clinic.provider))
        .execute();
      expect(person).toMatchObject({ id: body.beneficiary_id, user_id: body.user_id, sealed_insurer_access: null });
      const notice = (await mails()).find(({ subject }) => subject === "El correo de tu cuenta cambió");
      expect(notice?.to).toBe("camila@example.com");
      expect(notice?.text).toContain("40.***.***-3");
      expect(notice?.text).not.toContain(NEW_EMAIL);
      const details = { email_change: await newest("email_changes"), recovery: await newest("recoveries") };
      // The setup of every test here has already registered the patient.
      const purposes = ["claim_mandate", "health_data", "insurer_access"];
      const renewal = { proved_by: "registry", purposes, insurer_access: true };
      expect(await auditOf(face.db, body.beneficiary_id)).toEqual([
        { act: "beneficiary.email_changed", ...ofPatient(body), details },
        { act: "beneficiary.registered", ...ofPatient(body), details: { proved_by: "registry" } },
        { act: "beneficiary.renewed", ...ofPatient(body), details: renewal },
        { act: "identity.checked", ...ofPatient(body), details: { outcome: "match" } },
        { act: "registration.made", ...ofPatient(body), details: {} },
      ]);
    });

    it.each([
      ["email_code", start],
      ["identity", startByIdentity],
    ] as const)("stores what came with a recovery by %s: the insurer access and the consents", async (_way, begin) => {
      const [accepted] = given("onboarding");
      await face.db
        .updateTable("consents")
        .set({ withdrawn_at: START })
        .where("provider_id", "=", clinic.provider.id)
        .execute();
      const order_token = await face.createOrder(clinic);
      const token = await mint({ order_token });
      const eventType = async () => (await face.call("readWidgetToken", `/api/spot/widget/${token}`)).body.event_type;
      expect(await eventType()).toBe("SPOT_USER_NEW");
      await begin(token);
      const typed = await signUp();
      const { status, body } = await verify(token, await lastCode(), CAMILA.rut, typed);
      expect(status).toBe(200);
      expect(body.event_type).toBe("REFUNDS_LEFT");
      expect(await eventType()).toBe("REFUNDS_LEFT");
      const person = face.db.selectFrom("beneficiaries").selectAll().where("id", "=", body.beneficiary_id);
      expect(await person.executeTakeFirst()).toMatchObject({
        insurer: "consalud",
        sealed_insurer_access: typed.sealed_insurer_access,
      });
      const kept = await face.db
        .selectFrom("consents")
        .selectAll()
        .where("purpose", "=", accepted?.purpose ?? "claim_mandate")
        .where("withdrawn_at", "is", null)
        .where("provider_id", "=", clinic.provider.id)
        .execute();
      expect(kept).toMatchObject([{ rut: CAMILA.rut, order_id: order_token, user_agent: "test/1" }]);
      const rows = await auditOf(face.db, body.beneficiary_id);
      expect(rows.filter(({ act }) => act === "beneficiary.insurer_access_given")).toEqual([
        {
          act: "beneficiary.insurer_access_given",
          ...ofPatient(body),
          details: { recovery: await newest("recoveries") },
        },
      ]);
    });

    it("answers a repeated right code again, and does nothing twice", async () => {
      const token = await mint({ order_token: await face.createOrder(clinic) });
      await startByIdentity(token);
      const code = await lastCode();
      const typed = await signUp();
      const first = await verify(token, code, CAMILA.rut, typed);
      const again = await verify(token, code, CAMILA.rut, typed);
      expect([first.status, again.status]).toEqual([200, 200]);
      expect(again.body).toEqual(first.body);
      expect((await mails()).filter(({ subject }) => subject === "El correo de tu cuenta cambió")).toHaveLength(1);
      expect((await verify(token, other(code))).body.code).toBe("recovery_code_invalid");
      expect((await verify(token, code, MATIAS.rut)).body.code).toBe("recovery_code_expired");
    });

    it("leaves the other family members at their address", async () => {
      await register(await mint(), { rut: MATIAS.rut });
      const token = await mint();
      await startByIdentity(token);
      await verify(token, await lastCode());
      expect([await emailOf(), await emailOf(MATIAS.rut)]).toEqual([NEW_EMAIL, "camila@example.com"]);
    });
  });

  describe("400", () => {
    it("consents_missing or validation_error for a partial sign-up, which costs no attempt and changes nothing", async () => {
      const token = await mint();
      await start(token);
      const code = await lastCode();
      const typed = await signUp();
      for (const part of [
        { ...typed, consents: given("onboarding") },
        { ...typed, consents: undefined },
      ]) {
        expect((await verify(token, code, CAMILA.rut, part)).body.code).toBe("consents_missing");
      }
      const whosePassword = await verify(token, code, CAMILA.rut, { ...typed, insurer: undefined });
      expect([whosePassword.body.code, whosePassword.body.errors[0].path]).toEqual(["validation_error", "insurer"]);
      const fonasa = { ...typed, insurer: "fonasa" };
      expect((await verify(token, code, CAMILA.rut, fonasa)).body.code).toBe("insurer_not_supported");
      expect((await verify(token, code, CAMILA.rut, typed)).status).toBe(200);
    });
  });

  describe("410", () => {
    it("recovery_code_expired after ten minutes, after five wrong attempts, and if none was sent", async () => {
      const token = await mint();
      expect((await verify(token, "123456")).body.code).toBe("recovery_code_expired");
      expect((await verify(token, "123456", MATIAS.rut)).body.code).toBe("recovery_code_expired");
      await start(token);
      const code = await lastCode();
      for (let left = 4; left >= 0; left -= 1) {
        expect((await verify(token, other(code))).body).toMatchObject({
          code: "recovery_code_invalid",
          attempts_left: left,
        });
      }
      expect((await verify(token, code)).body.code).toBe("recovery_code_expired");
      // Each wrong attempt is audited once, without the code or the address that it was sent to.
      const body = { beneficiary_id: (await beneficiary()).id };
      const audited = await auditRows(face.db)
        .where("subject_id", "=", body.beneficiary_id)
        .where("act", "=", "one_time_code.wrong")
        .orderBy(sql`details ->> 'try'`)
        .execute();
      expect(audited).toEqual(
        [1, 2, 3, 4, 5].map((number) => ({
          act: "one_time_code.wrong",
          ...ofPatient(body),
          actor: "unknown",
          details: { try: number },
        })),
      );
      seconds(61);
      await start(token);
      const second = await lastCode();
      seconds(600);
      expect((await verify(token, second)).body.code).toBe("recovery_code_expired");
    });

    it("recovery_code_expired for a code to an address that the RUT has left since", async () => {
      const token = await mint({ order_token: await face.createOrder(clinic) });
      await start(token);
      const code = await lastCode();
      seconds(61);
      const moving = await mint();
      await startByIdentity(moving);
      expect((await verify(moving, await lastCode())).status).toBe(200);
      expect((await verify(token, code, CAMILA.rut, await signUp())).body.code).toBe("recovery_code_expired");
      const [person] = await face.db
        .selectFrom("beneficiaries")
        .selectAll()
        .where("tenant", "=", tenantOf(clinic.provider))
        .execute();
      expect(person).toMatchObject({ insurer: CAMILA.insurer, sealed_insurer_access: null });
      expect(await emailOf()).toBe(NEW_EMAIL);
    });

    it("recovery_code_expired for a right code, once the RUT has moved to another address", async () => {
      const token = await mint({ order_token: await face.createOrder(clinic) });
      await startByIdentity(token);
      const code = await lastCode();
      expect((await verify(token, code)).status).toBe(200);
      seconds(61);
      const moving = await mint();
      await startByIdentity(moving, { email: "otra@example.org" });
      expect((await verify(moving, await lastCode())).status).toBe(200);
      expect((await verify(token, code)).body.code).toBe("recovery_code_expired");
    });

    it("widget_token_used only after errors in the sign-up itself: 422, 400, 410", async () => {
      const token = await mint();
      await start(token);
      const code = await lastCode();
      const typed = await signUp();
      const answer = async (part: Record<string, unknown>) =>
        (await verify(token, code, CAMILA.rut, { ...typed, ...part })).body.code;
      await verify(token, code);
      expect(await answer({ insurer: "fonasa" })).toBe("insurer_not_supported");
      expect(await answer({ consents: given("onboarding") })).toBe("consents_missing");
      expect(await answer({})).toBe("widget_token_used");
    });

    it("recovery_code_expired for a code that was sent under another token", async () => {
      await start(await mint());
      expect((await verify(await mint(), await lastCode())).body.code).toBe("recovery_code_expired");
    });
  });

  describe("422", () => {
    it("recovery_code_invalid: checks five of a hundred concurrent guesses", async () => {
      const token = await mint();
      await start(token);
      const code = await lastCode();
      const guesses = Array.from({ length: 100 }, (_, index) =>
        String((Number(code) + 1 + index) % 1_000_000).padStart(6, "0"),
      );
      const answers = await Promise.all(guesses.map((guess) => verify(token, guess)));
      const codes = answers.map(({ body }) => body.code);
      expect(codes.filter((each) => each === "recovery_code_invalid")).toHaveLength(5);
      expect(new Set(codes)).toEqual(new Set(["recovery_code_invalid", "recovery_code_expired"]));
      expect((await verify(token, code)).status).not.toBe(200);
    });

    it("validation_error for a malformed code", async () => {
      expect((await verify(await mint(), "12345")).body).toMatchObject({ errors: [{ path: "code" }] });
    });
  });
});

describe("POST /api/spot/user/recovery/objection", () => {
  async function changeByIdentity(email = NEW_EMAIL): Promise<string> {
    const token = await mint();
    await startByIdentity(token, { email });
    await verify(token, await lastCode());
    const notice = (await mails()).findLast(({ subject }) => subject === "El correo de tu cuenta cambió");
    const url = new URL(/https:\/\/\S+/.exec(notice?.text ?? "")?.[0] ?? "");
    return url.searchParams.get("widget_token") ?? "";
  }

  it("returns the RUT to the old address once, and notifies the new one", async () => {
    const objection = await changeByIdentity();
    const session = await face.call("readWidgetToken", `/api/spot/widget/${objection}`);
    expect(session.body).toMatchObject({ purpose: "objection", parent_origins: [], user_data: {}, order: null });
    expect((await object(objection)).body).toEqual({ status: "undone" });
    expect(await emailOf()).toBe("camila@example.com");
    const undone = (await mails()).filter(({ subject }) => subject === "Deshicimos el cambio de correo");
    expect(undone.map(({ to }) => to)).toEqual([NEW_EMAIL]);
    expect((await object(objection)).body.code).toBe("widget_token_used");
    const body = { beneficiary_id: (await beneficiary()).id };
    const rows = await auditOf(face.db, body.beneficiary_id);
    expect(rows.filter(({ act }) => act === "beneficiary.email_change_undone")).toEqual([
      {
        act: "beneficiary.email_change_undone",
        ...ofPatient(body),
        details: { email_change: await newest("email_changes") },
      },
    ]);
  });

  it("is possible for 48 hours", async () => {
    const objection = await changeByIdentity();
    seconds(48 * 3_600);
    expect((await object(objection)).body.code).toBe("widget_token_expired");
    expect(await emailOf()).toBe(NEW_EMAIL);
  });

  it("undoes later changes that built on the change, so that a second thief cannot help the first", async () => {
    const first = await changeByIdentity();
    seconds(61);
    const second = await changeByIdentity("otra@example.org");
    expect((await object(first)).status).toBe(200);
    expect(await emailOf()).toBe("camila@example.com");
    expect((await object(second)).body.code).toBe("widget_token_used");
    expect(await emailOf()).toBe("camila@example.com");
  });

  it("closes recovery by identity for thirty days, and leaves recovery by the registered address open", async () => {
    await object(await changeByIdentity());
    seconds(3_700);
    expect((await startByIdentity(await mint())).body.code).toBe("identity_attempts_exhausted");
    expect((await start(await mint())).status).toBe(202);
    seconds(30 * 24 * 3_600);
    expect((await startByIdentity(await mint())).status).toBe(202);
  });

  it("closes recovery by identity even while the registry is being queried", async () => {
    const objection = await changeByIdentity();
    seconds(61);
    whileRegistryIsAsked(async () => expect((await object(objection)).status).toBe(200));
    const { body } = await startByIdentity(await mint(), { email: "otra@example.org" });
    expect(body.code).toBe("identity_attempts_exhausted");
    expect((await mails()).map(({ to }) => to)).not.toContain("otra@example.org");
  });

  it("refuses a token of another kind", async () => {
    expect((await object(await mint())).body.code).toBe("widget_token_not_found");
  });
});
