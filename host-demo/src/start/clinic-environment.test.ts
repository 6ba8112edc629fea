import { expect, it } from "vitest";
import { readConfig } from "../backend/config.ts";
import { clinicEnvironment } from "./clinic-environment.ts";
import { readSettings } from "./settings.ts";

const CREDENTIALS = {
  client_secret: "cs_1",
  client_id: "ci_1",
  public_key: "pk_1",
  webhook_secret: "whsec_1",
  secret_key: "ak_1",
};

it.each([
  [{}, "x-service-signature"],
  [{ WEBHOOK_SIGNATURE_WORD: "Aapd" }, "x-aapd-signature"],
])("the clinic expects the signature in the header of the service: %j", (environment, header) => {
  const settings = readSettings(environment, { isDevelopment: false });
  expect(readConfig(clinicEnvironment(settings, CREDENTIALS, environment)).signatureHeader).toBe(header);
});
