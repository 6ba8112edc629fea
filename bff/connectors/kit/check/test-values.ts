import * as z from "zod";
import { bankAccountSchema } from "../../../src/contract/bank-account.ts";
import { insurerChoiceSchema } from "../../../src/contract/onboarding.ts";
import { documentTypeSchema } from "../../../src/contract/orders.ts";
import { phoneSchema } from "../../../src/contract/vocabulary/phone.ts";
import { parseRut, personRutSchema, rutSchema } from "../../../src/contract/vocabulary/rut.ts";

const cardSchema = z.object({
  number: z.string().regex(/^\d{12,19}$/),
  exp_month: z.int().min(1).max(12),
  exp_year: z.int().min(2000).max(2100),
  cvc: z.string().regex(/^\d{3,4}$/),
  holder_name: z.string().min(1),
});

/**
 * The test values for a check. A missing value defaults to the sandbox's; null skips the checks that need it. Only use
 * values of the party's test environment, never a person's.
 */
export const testValuesSchema = z.strictObject({
  /** The provider that makes the calls; by default a new one, whose lists are empty. */
  provider_id: z.uuid().optional(),
  /** The amount of each charge, in pesos. */
  amount: z.int().min(100).max(100_000).default(1_000),
  /** A credit card whose charges are all captured. */
  card: cardSchema.default(cardOf("4051885600446623")),
  /** A card that can be added, but whose charges are all declined. */
  declined_card: cardSchema.nullable().default(cardOf("5186059559590568")),
  /** A card whose issuer asks for strong authentication. */
  challenge_card: cardSchema.nullable().default(cardOf("4051885600000040")),
  /** A card whose returns are pending at first and completed later. */
  pending_return_card: cardSchema.nullable().default(cardOf("4051885600000206")),
  /** The patient who gets loans and whose claims the insurer accepts. */
  rut: z._default(personRutSchema, parseRut("40100000-3")),
  /** A patient whose loan the provider refuses. */
  refused_rut: z._default(z.nullable(personRutSchema), parseRut("40237731-3")),
  insurer: z._default(insurerChoiceSchema, "colmena"),
  insurer_password: z.string().min(8).default("prueba-de-conector"),
  /** The serial of an identity document of `rut`. */
  serial: z.string().default("123456789"),
  document_type: z._default(documentTypeSchema, "CEDULA"),
  /** A serial that does not belong to it. */
  wrong_serial: z.string().nullable().default("100000001"),
  account: z._default(bankAccountSchema, {
    bank: "Banco de prueba",
    account_type: "checking",
    account_number: "12345678",
    holder_name: "Clínica de prueba",
    holder_rut: parseRut("76901112-9"),
  }),
  /** The number of an account that cannot be paid into. */
  refused_account_number: z.string().nullable().default("1000000001"),
  /** The number of an account whose transfers are made only later: each is pending first. */
  pending_account_number: z.string().nullable().default("1000000005"),
  /** The number of an account whose transfers are sent and come back during the check. */
  returned_account_number: z.string().nullable().default(null),
  tax_issuer: z.object({ name: z.string().min(1), rut: rutSchema }).default({
    name: "Operadora de prueba",
    rut: parseRut("76901112-9"),
  }),
  phone: z._default(phoneSchema, phoneSchema.parse("+56912345678")),
});
export type TestValues = z.output<typeof testValuesSchema>;
export type TestCard = z.output<typeof cardSchema>;

function cardOf(number: string): z.input<typeof cardSchema> {
  return { number, exp_month: 12, exp_year: 2049, cvc: "739", holder_name: "PRUEBA DE CONECTOR" };
}
