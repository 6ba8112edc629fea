import { describe, expect, it } from "vitest";
import { expenseForm, pdf } from "./expense-forms.ts";
import { CAMILA, given, MATIAS } from "./people.ts";
import { beginEach, type SpotFace, type TestProvider } from "./spot-face.ts";

let face: SpotFace;
let clinic: TestProvider;
beginEach(async (beginning) => {
  ({ face, clinic } = beginning);
  const key = `public_key=${clinic.credentials.public_key}`;
  const { body } = await face.call("mintWidgetToken", `/api/spot/widget?${key}`, { body: {} });
  await face.call("registerPatient", `/api/spot/user?${key}`, {
    body: { ...CAMILA, consents: given("onboarding"), widget_token: body.widget_token },
  });
});

const ask = (rut: string, key = clinic.credentials.public_key) =>
  face.call(
    "isUserSubscribed",
    `/api/spot/is_user_subscribed?${new URLSearchParams({ public_key: key, rut }).toString()}`,
  );
const send = (mark: string) =>
  face.call(
    "submitExpense",
    `/api/spot/gastos?${new URLSearchParams({ public_key: clinic.credentials.public_key, rut: CAMILA.rut }).toString()}`,
    { form: expenseForm([pdf(100, mark)]) },
  );

describe("GET /api/spot/is_user_subscribed", () => {
  describe("200", () => {
    it("is true during a free trial, until two expenses were sent", async () => {
      expect((await ask(CAMILA.rut)).body).toEqual({ is_subscribed: true, is_free_trial: true });
      await send("a");
      expect((await ask(CAMILA.rut)).body).toEqual({ is_subscribed: true, is_free_trial: true });
      await send("b");
      expect((await ask(CAMILA.rut)).body).toEqual({ is_subscribed: false, is_free_trial: false });
    });

    it("is false for a company, which has no plan", async () => {
      expect(await ask("76.900.001-1")).toMatchObject({
        status: 200,
        body: { is_subscribed: false, is_free_trial: false },
      });
    });

    it("does not bar a patient with an exhausted trial from submitting", async () => {
      for (const mark of ["a", "b", "c"]) expect((await send(mark)).status).toBe(200);
    });

    it("is false for an unregistered RUT, with the same answer as for any other", async () => {
      expect(await ask(MATIAS.rut)).toMatchObject({
        status: 200,
        body: { is_subscribed: false, is_free_trial: false },
      });
    });

    it("accepts the RUT with or without dots", async () => {
      expect((await ask("40.100.000-3")).body.is_subscribed).toBe(true);
      expect((await ask("401000003")).body.is_subscribed).toBe(true);
    });
  });

  describe("401", () => {
    it("401 has the detail that the interface defines", async () => {
      const inactive = await face.makeProvider({ active: false });
      for (const key of ["", "PK_unknown", clinic.credentials.client_secret, inactive.credentials.public_key]) {
        expect(await ask(CAMILA.rut, key)).toMatchObject({
          status: 401,
          body: { detail: "Invalid or unknown public key", code: "invalid_public_key" },
        });
      }
    });
  });

  describe("422", () => {
    it.each(["40100000", "40100000-4", ""])("validation_error for the RUT %j", async (rut) => {
      expect((await ask(rut)).body).toMatchObject({ code: "validation_error", errors: [{ path: "rut" }] });
    });
  });
});
