/**
 * The institutions of Chile that take transfers: code of the supervisor (SBIF, now CMF), name, and other names in use.
 * Brands of one institution share its code.
 */
const BANKS = {
  "001": ["Banco de Chile", "Banco Edwards", "Banco Edwards Citi", "Banco Citi"],
  "009": ["Banco Internacional"],
  "012": ["BancoEstado", "Banco Estado", "Banco del Estado de Chile"],
  "014": ["Scotiabank", "Scotiabank Chile", "Banco Scotiabank", "Scotiabank Azul"],
  "016": ["BCI", "Banco BCI", "Banco de Crédito e Inversiones", "MACH", "MACHBANK"],
  "028": ["Banco BICE", "BICE"],
  "031": ["HSBC Bank", "HSBC", "HSBC Bank Chile"],
  "037": ["Banco Santander", "Santander", "Banco Santander Chile", "Santander Chile"],
  "039": ["Banco Itaú", "Itaú", "Banco Itaú Chile", "Itaú Corpbanca", "Corpbanca"],
  "049": ["Banco Security", "Security"],
  "051": ["Banco Falabella", "Falabella"],
  "053": ["Banco Ripley", "Ripley"],
  "055": ["Banco Consorcio", "Consorcio"],
  "059": ["Banco BTG Pactual Chile", "BTG Pactual", "Banco BTG Pactual"],
  "504": ["Banco BBVA", "BBVA", "BBVA Chile"],
  "672": ["Coopeuch", "Dale Coopeuch"],
  "729": ["Prepago Los Héroes", "Los Héroes"],
  "730": ["Tenpo", "Tenpo Prepago"],
  "732": ["TAPP Caja Los Andes", "TAPP", "Prepago Los Andes"],
  "741": ["Copec Pay"],
  "875": ["Mercado Pago"],
} as const satisfies Readonly<Record<string, readonly [string, ...string[]]>>;

export type BankCode = keyof typeof BANKS;

export const BANK_CODES = Object.keys(BANKS) as BankCode[];

/** Each bank's code and name, by code. */
export const banks: readonly { readonly code: BankCode; readonly name: string }[] = BANK_CODES.toSorted().map(
  (code) => ({
    code,
    name: BANKS[code][0],
  }),
);

const CODE_BY_NAME: ReadonlyMap<string, BankCode> = new Map(
  BANK_CODES.flatMap((code) => [code, ...BANKS[code]].map((name) => [wordsOf(name), code] as const)),
);

/** The code of the bank with this code or name, in any case and with or without accents; null if none has it. */
export function bankCodeOf(bank: string): BankCode | null {
  return CODE_BY_NAME.get(wordsOf(bank)) ?? null;
}

/** Ignores case, accents, punctuation, spaces and the legal form. */
function wordsOf(name: string): string {
  const letters = name
    .normalize("NFD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9 ]/g, "");
  return letters.replace(/ sa$/, "").replaceAll(" ", "");
}

/** Reasons that stand until the account changes. */
export const ACCOUNT_REFUSALS = [
  "bank_unknown",
  "account_unknown",
  "account_closed",
  /** It takes no transfers: its type does not, or its owner or bank switched them off. */
  "account_not_enabled",
  "holder_differs",
] as const;

/** Reasons that may be gone on another day, with the same account. */
export const PASSING_REFUSALS = [
  /** The receiving bank does not answer. */
  "bank_unavailable",
  /** The paying account lacks the money. */
  "funds_missing",
  /** Above what the paying or the receiving account may move. */
  "limit_exceeded",
  /** Stopped by a bank's own checks, such as those against fraud. */
  "stopped_by_bank",
  "other",
] as const;

/** Why the bank did not pay, or why the money came back. */
export type TransferRefusal = (typeof ACCOUNT_REFUSALS)[number] | (typeof PASSING_REFUSALS)[number];
