import type { Insurer } from "../contract/onboarding.ts";
import { emailSchema } from "../contract/vocabulary/email.ts";
import { phoneSchema } from "../contract/vocabulary/phone.ts";
import { parseRut } from "../contract/vocabulary/rut.ts";
import { registerBeneficiary } from "../patients/patients.ts";
import { tenantOf } from "../patients/tenant.ts";
import type { Transaction } from "../platform/database/transaction.ts";
import type { Ids } from "../platform/ids.ts";
import type { Provider } from "../platform/provider.ts";
import { CATALOGUE_PATIENTS } from "./catalogue.ts";

const INSURER: Insurer = "consalud";

/** Registers the people of the catalogue who have an e-mail of their own; who is there already stays as they are. */
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
