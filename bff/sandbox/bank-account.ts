import type { BankAccount } from "../src/contract/bank-account.ts";
import { parseRut } from "../src/contract/vocabulary/rut.ts";

/** The account that the sandbox's bank pays for payees without an account, so that payouts can be observed. */
export const SANDBOX_BANK_ACCOUNT: BankAccount = {
  bank: "Banco de Prueba",
  account_type: "checking",
  account_number: "0012345678",
  holder_name: "Clínica de Prueba SpA",
  holder_rut: parseRut("76.900.001-1"),
};
