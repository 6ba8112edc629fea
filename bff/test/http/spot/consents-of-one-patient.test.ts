import { afterAll, beforeAll, expect, test } from "vitest";
import { consentTexts } from "../../../src/patients/consent-texts.ts";
import { areClaimsWithdrawn, findConsents, recordConsents, withdrawConsents } from "../../../src/patients/consents.ts";
import { systemIds } from "../../../src/platform/ids.ts";
import { openTestDatabase, type TestDatabase } from "../../database.ts";
import { allTextsShown } from "../../texts-shown.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const AT = new Date("2026-11-21T18:00:00Z");
const given = consentTexts("es-CL", "onboarding").map(({ purpose, text_version, text_sha256 }) => ({
  purpose,
  text_version,
  text_sha256,
}));

function accept(providerId: string, rut: string): Promise<void> {
  const where = { orderId: null, shown: allTextsShown(AT), ip: "127.0.0.1", userAgent: null };
  return recordConsents(database.db, systemIds, given, { ...where, providerId, rut, acceptedAt: AT });
}

test("withdrawing consents affects one patient of one provider, and the withdrawal is recorded", async () => {
  const providerId = systemIds.uuid();
  const [one, other] = ["40100000-3", "40008548-K"];
  await accept(providerId, one);
  await accept(providerId, other);
  await withdrawConsents(database.db, { rut: one, providerId }, ["claim_mandate"], AT);
  expect(await areClaimsWithdrawn(database.db, { rut: one, providerId })).toBe(true);
  expect(await areClaimsWithdrawn(database.db, { rut: other, providerId })).toBe(false);
  expect(await findConsents(database.db, { rut: one, providerId })).toHaveLength(given.length);
});

test("withdrawing one purpose with all providers leaves the other purposes", async () => {
  const rut = "40926386-0";
  await accept(systemIds.uuid(), rut);
  await withdrawConsents(database.db, { rut, providerId: null }, ["marketing"], AT);
  const kept = await findConsents(database.db, { rut, providerId: null });
  expect(kept.filter(({ withdrawnAt }) => withdrawnAt !== null).map(({ purpose }) => purpose)).toEqual(["marketing"]);
  expect(await areClaimsWithdrawn(database.db, { rut, providerId: null })).toBe(false);
});
