import type { Insurer } from "../src/contract/onboarding.ts";
import { emailSchema } from "../src/contract/vocabulary/email.ts";
import { phoneSchema } from "../src/contract/vocabulary/phone.ts";
import { parseRut } from "../src/contract/vocabulary/rut.ts";
import { tenantOf } from "../src/patients/beneficiary.ts";
import { registerBeneficiary } from "../src/patients/patients.ts";
import type { Transaction } from "../src/platform/database/transaction.ts";
import type { Ids } from "../src/platform/ids.ts";
import type { Provider } from "../src/platform/provider.ts";
import { CATALOGUE_PATIENTS } from "./catalogue.ts";

const INSURER: Insurer = "consalud";

/** Registers the people of the catalogue who have an e-mail; those already registered stay unchanged. */
export async function registerCataloguePatients(
  tx: Transaction,
  ids: Ids,
  provider: Provider,
  at: Date,
): Promise<void> {
  for (const { rut, registeredEmail } of CATALOGUE_PATIENTS) {
    if (registeredEmail === undefined) continue;
    const person = {
      tenant: tenantOf(provider),
      providerId: provider.id,
      rut: parseRut(rut),
      email: emailSchema.parse(registeredEmail),
      firstName: "Josefa",
      lastName: "De la Fuente Ibáñez",
      phoneNumber: phoneSchema.parse("+56 9 1234 5678"),
      insurer: INSURER,
      sealedInsurerAccess: null,
    };
    await registerBeneficiary(tx, ids, person, at);
  }
}
