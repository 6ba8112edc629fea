import type { BankAccount } from "../src/contract/bank-account.ts";
import { parseRut } from "../src/contract/vocabulary/rut.ts";

/** Where the sandbox's bank pays payees who have told of no account of their own, so that payouts can be seen. */
export const SANDBOX_BANK_ACCOUNT: BankAccount = {
  bank: "Banco de Prueba",
  account_type: "checking",
  account_number: "0012345678",
  holder_name: "Clínica de Prueba SpA",
  holder_rut: parseRut("76.900.001-1"),
};
