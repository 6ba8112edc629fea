import { describe, expect, it } from "vitest";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { tenantOf } from "../../../src/patients/beneficiary.ts";
import { auditOf, credentialId } from "../audit-of.ts";
import { present } from "../orders/orders-world.ts";
import { CAMILA, given, MATIAS } from "./people.ts";
import { beginEach, clinicsHaveTheirOwnPatients, type SpotFace, START, type TestProvider } from "./spot-face.ts";

let face: SpotFace;
let clinic: TestProvider;
beginEach(async (beginning) => {
  ({ face, clinic } = beginning);
  const { body } = await face.call("mintWidgetToken", `/api/spot/widget?${key()}`, { body: {} });
  await face.call("registerPatient", `/api/spot/user?${key()}`, {
    body: { ...CAMILA, consents: given("onboarding"), widget_token: body.widget_token },
  });
  await face.prove(clinic);
});

const key = () => `public_key=${clinic.credentials.public_key}`;
const put = (body: unknown, rut: string = CAMILA.rut, secretKey = clinic.credentials.secret_key) =>
  face.call("setSubscription", `/api/spot/subscriptions/${rut}`, { body, headers: { "x-secret-key": secretKey } });
const ask = async () =>
  (await face.call("isUserSubscribed", `/api/spot/is_user_subscribed?${key()}&rut=${CAMILA.rut}`)).body;
async function eventType() {
  const { body } = await face.call("mintWidgetToken", `/api/spot/widget?${key()}`, { body: { rut: CAMILA.rut } });
  return (await face.call("readWidgetToken", `/api/spot/widget/${body.widget_token}`)).body.event_type;
}

describe("PUT /api/spot/subscriptions/{rut}", () => {
  it("200 sets a plan, which is no trial, and reports the patient to the widget", async () => {
    const { status, body } = await put({ plan: "anual", status: "active" }, "40.100.000-3");
    expect(status).toBe(200);
    expect(body).toEqual({
      rut: CAMILA.rut,
      plan: "anual",
      status: "active",
      valid_until: null,
      paid_by: "patient",
      updated_at: START.toISOString(),
    });
    expect(await ask()).toEqual({ is_subscribed: true, is_free_trial: false });
    expect(await eventType()).toBe("SPOT_USER_SUBSCRIBED");
    await put({ plan: "anual", status: "active", paid_by: "provider" });
    expect(await eventType()).toBe("PROVIDER_CHARGES");
  });

  it("is audited, with the credential that set it", async () => {
    await put({ plan: "anual", status: "active", paid_by: "provider" });
    const [patient] = await face.db
      .selectFrom("beneficiaries")
      .select("id")
      .where("tenant", "=", tenantOf(clinic.provider))
      .where("rut", "=", parseRut(CAMILA.rut))
      .execute();
    const rows = await auditOf(face.db, present(patient).id);
    expect(rows.filter(({ act }) => act.startsWith("subscription"))).toEqual([
      {
        act: "subscription.set",
        actor: "credential:secret_key",
        credential_id: await credentialId(face.db, clinic.provider, "secret_key"),
        provider_id: clinic.provider.id,
        subject_kind: "beneficiary",
        subject_id: patient?.id,
        details: { plan: "anual", status: "active", paid_by: "provider" },
      },
    ]);
  });

  it("200 cancels it, and a cancelled plan does not fall back to the trial", async () => {
    await put({ plan: "anual", status: "active" });
    await put({ plan: "anual", status: "cancelled" });
    expect(await ask()).toEqual({ is_subscribed: false, is_free_trial: false });
    expect(await eventType()).toBe("FREE_TRIAL_EXPIRED_USER");
  });

  it("200 sets a plan that ends by itself", async () => {
    await put({ plan: "mensual", status: "active", valid_until: "2026-11-22T12:00:00Z" });
    expect((await ask()).is_subscribed).toBe(true);
    face.clock.advance(24 * 3_600_000);
    expect((await ask()).is_subscribed).toBe(false);
  });

  it("401 without the secret_key, and with any other credential", async () => {
    for (const secret of ["", "ak_unknown", clinic.credentials.client_secret]) {
      expect((await put({ plan: "anual", status: "active" }, CAMILA.rut, secret)).body.code).toBe("invalid_credential");
    }
  });

  it("404 for an unregistered or invalid RUT", async () => {
    for (const rut of [MATIAS.rut, "abc"]) expect((await put({}, rut)).body.code).toBe("beneficiary_not_found");
  });

  it.runIf(clinicsHaveTheirOwnPatients)("404 for another provider's patient", async () => {
    const other = await face.makeProvider();
    const foreign = await put({ plan: "anual", status: "active" }, CAMILA.rut, other.credentials.secret_key);
    expect(foreign.body.code).toBe("beneficiary_not_found");
  });

  it.each([
    [{ status: "active" }, "plan"],
    [{ plan: "anual", status: "paused" }, "status"],
    [{ plan: "anual", status: "active", valid_until: "mañana" }, "valid_until"],
    [{ plan: "anual", status: "active", valid_until: "0000-01-01T00:00:00Z" }, "valid_until"],
    [{ plan: "anual", status: "active", paid_by: "clinic" }, "paid_by"],
  ])("422 for %j", async (body, path) => {
    expect((await put(body)).body).toMatchObject({ code: "validation_error", errors: [{ path }] });
  });
});

describe("GET /api/profile", () => {
  const profile = (publicKey: string) => face.call("profile", `/api/profile?public_key=${publicKey}`);

  it("200 returns the provider, the environment and the valid scopes", async () => {
    expect((await profile(clinic.credentials.public_key)).body).toEqual({
      provider: { id: clinic.provider.id, name: "Clínica Los Aromos del Sur SpA", rut: "76900001-1" },
      environment: clinic.provider.environment,
      scopes: [],
    });
    const meta = await face.makeProvider({ meta: true });
    expect((await profile(meta.credentials.public_key)).body.scopes).toEqual(["cnpl.meta_prestador"]);
  });

  it("401 for an unknown key", async () => {
    expect((await profile("PK_unknown")).body.code).toBe("invalid_public_key");
  });
});
