import { emailSchema } from "../src/contract/vocabulary/email.ts";
import { phoneSchema } from "../src/contract/vocabulary/phone.ts";
import { parseRut } from "../src/contract/vocabulary/rut.ts";
import type { Beneficiary } from "../src/patients/beneficiary.ts";
import { consentTexts } from "../src/patients/consents/consent-texts.ts";
import { recordConsents } from "../src/patients/consents/consents.ts";
import { registerBeneficiary } from "../src/patients/patients.ts";
import { tenantOf } from "../src/patients/tenant.ts";
import type { Clock } from "../src/platform/clock.ts";
import { type Database, inTransaction } from "../src/platform/database/transaction.ts";
import { systemIds } from "../src/platform/ids.ts";
import { type Provider, providerNow } from "../src/platform/provider.ts";

/**
 * A patient who registered and proved it on an earlier visit, with the consents that a claim needs. For tests that are
 * about what comes after; how a registration is proved is tested with onboarding.
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
    page: { shownAt: now, embeddingOrigin: null },
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
