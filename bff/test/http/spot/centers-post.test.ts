import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { parseRut } from "../../../src/contract/vocabulary/rut.ts";
import { findCenter, findCenterAccount } from "../../../src/tenants/centers.ts";
import { auditOf, credentialId } from "../audit-of.ts";
import { type SpotFace, startSpotFace, type TestProvider } from "./spot-face.ts";

let face: SpotFace;
let meta: TestProvider;
beforeAll(async () => {
  face = await startSpotFace();
});
beforeEach(async () => {
  meta = await face.makeProvider({ name: "Red Salud Quillay", rut: "96.900.001-6", meta: true });
});
afterAll(() => face.stop());

const NUNOA = {
  rut: "76.902.223-6",
  name: "Quillay Ñuñoa",
  email: "nunoa@example.com",
  bank_account: {
    bank: "Banco de Prueba",
    account_type: "checking",
    account_number: "12345678",
    holder_name: "Quillay Ñuñoa",
    holder_rut: "76.902.223-6",
  },
};
const VINA = { rut: "76.903.334-3", name: "Quillay Viña", email: "vina@example.com" };

const post = (centers: unknown, by: TestProvider = meta, secretKey: string = by.credentials.secret_key) =>
  face.call("upsertCenters", `/api/spot/sacmed/centers?public_key=${by.credentials.public_key}`, {
    body: { centers },
    headers: secretKey === "" ? {} : { "x-secret-key": secretKey },
  });
const kept = () =>
  face.db.selectFrom("centers").selectAll().where("provider_id", "=", meta.provider.id).orderBy("rut").execute();

describe("POST /api/spot/sacmed/centers", () => {
  it("200 creates centres and returns them in the order of the request", async () => {
    const { status, body } = await post([VINA, NUNOA]);
    expect(status).toBe(200);
    expect(body.centers).toMatchObject([
      { rut: "76903334-3", created: true },
      { rut: "76902223-6", created: true },
    ]);
    expect(await findCenter(face.db, meta.provider.id, parseRut(VINA.rut))).toMatchObject({ id: body.centers[0].id });
  });

  it("200 changes an existing centre and keeps a bank account that is left out", async () => {
    const first = await post([NUNOA]);
    const { bank_account: _left, ...without } = NUNOA;
    const again = await post([{ ...without, name: "Quillay Ñuñoa Norte" }]);
    expect(again.body.centers).toEqual([{ ...first.body.centers[0], created: false }]);
    const [center] = await kept();
    expect(center).toMatchObject({ name: "Quillay Ñuñoa Norte" });
    expect(center?.sealed_bank_account).not.toBeNull();
  });

  it("200 seals bank accounts and records who changed what", async () => {
    await post([NUNOA]);
    expect(JSON.stringify(await kept())).not.toContain("12345678");
    const [center] = await kept();
    const key = { providerId: meta.provider.id, id: center?.id ?? "" };
    expect(await findCenterAccount(face.dependencies, face.db, key)).toMatchObject({ account_number: "12345678" });
    expect(face.log()).not.toContain("12345678");
    face.clock.advance(1_000);
    const { bank_account: _left, ...without } = NUNOA;
    await post([without]);
    const by = {
      actor: "credential:secret_key",
      credential_id: await credentialId(face.db, meta.provider, "secret_key"),
      provider_id: meta.provider.id,
    };
    const of = { subject_kind: "center", subject_id: center?.id };
    expect(await auditOf(face.db, key.id)).toEqual([
      { act: "center.created", ...by, ...of, details: { bank_account_given: true } },
      { act: "center.changed", ...by, ...of, details: { bank_account_given: false } },
    ]);
  });

  it("401 without a secret_key, with another provider's, and with an unknown public_key", async () => {
    const other = await face.makeProvider({ meta: true });
    expect((await post([VINA], meta, "")).status).toBe(401);
    expect((await post([VINA], meta, other.credentials.secret_key)).status).toBe(401);
    const unknown = { ...meta, credentials: { ...meta.credentials, public_key: "PK_unknown" } };
    expect((await post([VINA], unknown)).body.code).toBe("invalid_public_key");
    expect(await kept()).toEqual([]);
  });

  it("403 scope_missing for a provider that is not a meta-provider", async () => {
    const plain = await face.makeProvider();
    for (const secret of [plain.credentials.secret_key, "", meta.credentials.secret_key])
      expect((await post([VINA], plain, secret)).body.code).toBe("scope_missing");
  });

  it("422 for one bad centre among good ones: none is written", async () => {
    for (const bad of [
      { ...VINA, rut: "76.903.334-4" },
      { ...VINA, email: "x" },
      { ...VINA, name: "" },
    ]) {
      expect((await post([NUNOA, bad])).body.code).toBe("validation_error");
    }
    const account = { ...NUNOA.bank_account, account_number: "12-34" };
    expect((await post([VINA, { ...NUNOA, bank_account: account }])).body).toMatchObject({
      errors: [{ path: "centers.1.bank_account.account_number" }],
    });
    expect((await post([VINA, { ...NUNOA, rut: "769033343" }])).body).toMatchObject({
      errors: [{ path: "centers.1.rut" }],
    });
    expect((await post([])).body.code).toBe("validation_error");
    expect(await kept()).toEqual([]);
  });
});
