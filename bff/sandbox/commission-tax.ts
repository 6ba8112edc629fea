import type { NewProvider } from "../src/tenants/manage-provider.ts";

/** The sandbox's commissions are a taxed service of an invented operator. */
export const SANDBOX_COMMISSION_TAX: NewProvider["commissionTax"] = {
  regime: "taxed_service",
  issuer: { name: "AAPD de Prueba SpA", rut: "76.904.444-2" },
};
