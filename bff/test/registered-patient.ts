import { createWithin } from "../src/app/within.ts";
import { proveVisit } from "../src/checkout/prove-visit.ts";
import { emailSchema } from "../src/contract/vocabulary/email.ts";
import { phoneSchema } from "../src/contract/vocabulary/phone.ts";
import { parseRut } from "../src/contract/vocabulary/rut.ts";
import { type Beneficiary, tenantOf, widgetTokenOfVisit } from "../src/patients/beneficiary.ts";
import { consentTexts } from "../src/patients/consent-texts.ts";
import { recordConsents } from "../src/patients/consents.ts";
import { registerBeneficiary } from "../src/patients/patients.ts";
import type { Clock } from "../src/platform/clock.ts";
import { type Database, inTransaction } from "../src/platform/database/transaction.ts";
import { systemIds } from "../src/platform/ids.ts";
import type { Keyring } from "../src/platform/keyring.ts";
import { type Provider, providerNow } from "../src/platform/provider.ts";
import { allTextsShown } from "./texts-shown.ts";

/**
 * A patient who registered and was verified on an earlier visit, with the consents that a claim needs. For tests of
 * later steps; the onboarding tests cover the verification.
 */
export async function registerPatient(
  { database: { db }, clock }: { readonly database: { readonly db: Database }; readonly clock: Clock },
  { provider }: { readonly provider: Provider },
  given: { readonly rut: string; readonly email?: string; readonly sealedInsurerAccess?: string | null },
): Promise<Beneficiary> {
  const { rut, email = "camila@example.com", sealedInsurerAccess = null } = given;
  const now = providerNow(provider, clock.now());
  const person = {
    tenant: tenantOf(provider),
    providerId: provider.id,
    rut: parseRut(rut),
    email: emailSchema.parse(email),
    firstName: "Camila",
    lastName: "Rojas Fuentes",
    phoneNumber: phoneSchema.parse("+56 9 1234 5678"),
    insurer: "colmena" as const,
    sealedInsurerAccess,
  };
  const accepted = {
    providerId: provider.id,
    rut: person.rut,
    orderId: null,
    shown: allTextsShown(now),
    acceptedAt: now,
    ip: "203.0.113.7",
    userAgent: "Test",
  };
  const isAccepted = ({ required, purpose }: { required: boolean; purpose: string }) =>
    required || (purpose === "insurer_access" && sealedInsurerAccess !== null);
  return inTransaction(db, async (tx) => {
    const { beneficiary } = await registerBeneficiary(tx, systemIds, person, now);
    await recordConsents(tx, systemIds, consentTexts("es-CL", "onboarding").filter(isAccepted), accepted);
    return beneficiary;
  });
}

/**
 * Verifies everything that was registered at a clinic, like the registry in a checkout, or a code to the mailbox
 * outside of one. For tests of later steps that register like the widget.
 */
export async function proveRegistrations(
  { db, clock, keyring }: { readonly db: Database; readonly clock: Clock; readonly keyring: Pick<Keyring, "seal"> },
  provider: Provider,
): Promise<void> {
  const now = providerNow(provider, clock.now());
  const unknown = async () => null;
  const dependencies = { db, ids: systemIds, clock, keyring, paymentPage: unknown, consultationDay: unknown };
  const unproven = await db
    .selectFrom("beneficiaries")
    .select(["tenant", "rut"])
    .where("provider_id", "=", provider.id)
    .where("proof_until", ">", now)
    .orderBy("created_at")
    .execute();
  for (const { tenant, rut } of unproven) {
    const proof = { by: "registry", matchedAt: null } as const;
    const visit = { provider, rut, visit: { id: widgetTokenOfVisit(tenant) }, ...proof, now };
    await inTransaction(db, (tx) => proveVisit({ ...dependencies, within: createWithin(dependencies) }, tx, visit));
  }
}
