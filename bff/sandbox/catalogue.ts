import { LATEST_COLLECTION_DAY } from "../src/contract/terms.ts";
import { formatClp } from "../src/contract/vocabulary/clp.ts";
import { emailKey } from "../src/contract/vocabulary/email.ts";
import type { MessageRefusal } from "../src/gateways/messenger.ts";
import type { AccountBehaviour } from "./bank/bank.ts";
import { type CardBehaviour, LIMIT_OF_A_CHARGE, type MagicCard } from "./card-processor/card.ts";
import type { CreditBehaviour } from "./financing-provider/loan.ts";
import type { SerialBehaviour } from "./identity-registry/identity-registry.ts";
import type { InsurerBehaviour } from "./insurer/claim.ts";

/**
 * All test values of the sandbox with their effects. The sandbox's gateways behave accordingly, and `GET
 * /sandbox/catalogue` shows them. Every value that is not listed here succeeds.
 */

export interface CatalogueCard extends MagicCard {
  readonly causes: string;
}

/** They work with any expiry that is not before the later charge, any security code and any holder's name. */
export const CATALOGUE_CARDS: readonly CatalogueCard[] = [
  visa("4051885600446623", "approved", "Every charge is captured."),
  {
    number: "5186059559590568",
    brand: "mastercard",
    kind: "credit",
    behaviour: "declined",
    causes: "Every charge is declined: `declined`. Another card may be tried.",
  },
  visa("4051885600000016", "insufficient_funds", "Every charge is declined: `insufficient_funds`."),
  visa("4051885600000024", "expired", "Declined when it is added: `card_expired`."),
  visa("4051885600000032", "stolen", "Every charge is declined for ever: `card_lost_or_stolen`."),
  visa("4051885600000040", "challenge", "Strong authentication is asked for; the bank's page approves or rejects."),
  visa("4051885600000057", "challenge_failed", "Strong authentication is asked for, and fails whatever is pressed."),
  visa(
    "4051885600000115",
    "challenge_later",
    "Strong authentication is asked for when it replaces another card or pays the rest early, not at the first payment.",
  ),
  visa(
    "4051885600000123",
    "confirmed_on_page",
    "Typed in the checkout, the processor asks to confirm it on its own page before it registers it; every charge is captured.",
  ),
  visa(
    "4051885600000255",
    "enrolled_in_window",
    "Enrolled on the processor's own page, which opens in its own window and authenticates the holder. The processor reports neither expiry nor holder; every charge is captured.",
  ),
  visa("4051885600000065", "later_declined", "The first charge is captured, every later one declined: `declined`."),
  visa("4051885600000073", "answer_lost", "Charges are captured, but the answer is lost; an inquiry tells."),
  visa("4051885600000081", "call_lost", "The first charge is lost on its way, nothing is captured; the next arrives."),
  visa(
    "4051885600000230",
    "amount_limited",
    `A charge of more than ${formatClp(LIMIT_OF_A_CHARGE)} is declined for the card's limit: \`declined\`, with \`decline_limit\` \`amount\`. Less is captured.`,
  ),
  visa(
    "4051885600000248",
    "uses_limited",
    "The first charge is captured, every later one declined for the card's limit: `declined`, with `decline_limit` `uses`.",
  ),
  visa(
    "4051885600000206",
    "return_pending",
    "Every charge is captured. Money that goes back to it is under way for 2 days, and then returned.",
  ),
  visa(
    "4051885600000214",
    "return_pending_refused",
    "Every charge is captured. Money that goes back to it is under way for 2 days, and then refused.",
  ),
  visa(
    "4051885600000222",
    "return_too_old",
    "Every charge is captured, and none is returned: the processor says that it is too old.",
  ),
  visa("4051885600000099", "security_code_wrong", "Declined when it is added: `security_code_wrong`."),
  visa("4051885600000107", "blocked", "Every charge is declined for ever: `card_blocked`."),
  {
    number: "5186059550000013",
    brand: "mastercard",
    kind: "credit",
    behaviour: "later_declined_twice",
    causes: "The first charge is captured, the two after it declined (`insufficient_funds`), the next captured.",
  },
  {
    number: "5186059550000021",
    brand: "mastercard",
    kind: "credit",
    behaviour: "later_stolen",
    causes: "The first charge is captured, every later one declined for ever: `card_lost_or_stolen`.",
  },
  {
    number: "4051884239937763",
    brand: "visa",
    kind: "debit",
    behaviour: "approved",
    causes: "A debit card: every charge is captured, and is returned only in full.",
  },
  {
    number: "4051886000056590",
    brand: "visa",
    kind: "prepaid",
    behaviour: "approved",
    causes: "A prepaid card: every charge is captured, and is returned only in full.",
  },
  {
    number: "4511346660037060",
    brand: "visa",
    kind: "debit",
    behaviour: "approved",
    causes: "Fails the Luhn check and is captured all the same: Luhn may warn and never block.",
  },
  {
    number: "370000000002032",
    brand: "amex",
    kind: "credit",
    behaviour: "approved",
    causes: "American Express, 15 digits, a security code of four: every charge is captured.",
  },
];

export interface CatalogueSerial {
  readonly serial: string;
  readonly behaviour: SerialBehaviour;
  readonly causes: string;
}

/** Serial numbers of identity cards. Every other well-formed serial matches every RUT. */
export const CATALOGUE_SERIALS: readonly CatalogueSerial[] = [
  { serial: "100000001", behaviour: "no_match", causes: "Rejected: the registry does not match it with the RUT." },
  { serial: "100000002", behaviour: "document_not_valid", causes: "The document is expired or blocked." },
  { serial: "100000003", behaviour: "unavailable", causes: "The registry is down." },
  { serial: "100000004", behaviour: "under_age", causes: "It matches, and its holder is under age." },
];

export interface CataloguePatient {
  readonly rut: string;
  readonly causes: string;
  readonly credit?: CreditBehaviour;
  readonly insurer?: InsurerBehaviour;
  /** The days after a charge during which its tax document is refused. */
  readonly documentsRefusedDays?: number;
  /**
   * The RUT is registered with this e-mail in every tenant, so that a sign-up with another e-mail gets
   * `RUT_OTHER_EMAIL`.
   */
  readonly registeredEmail?: string;
}

/** Claims of RUTs without a behaviour are approved after this many days. */
const APPROVAL_DAYS_DEFAULT = 5;

/**
 * RUTs that belong to no person. For every other RUT the credit is granted, and claims are approved after five days.
 */
export const CATALOGUE_PATIENTS: readonly CataloguePatient[] = [
  { rut: "40100000-3", causes: "Everything succeeds; the claim is approved after 5 days." },
  { rut: "40237731-3", credit: "refused", causes: "The credit is refused, with reasons." },
  { rut: "40375462-5", credit: "review_authorised", causes: "The credit is reviewed for 20 seconds, then authorised." },
  { rut: "40513193-5", credit: "review_refused", causes: "The credit is reviewed for 20 seconds, then refused." },
  { rut: "40650924-9", credit: "confirmation_refused", causes: "Authorised, but its confirmation is refused." },
  {
    rut: "40788655-0",
    registeredEmail: "registrada@example.com",
    causes: "Registered under registrada@example.com.",
  },
  { rut: "40926386-0", insurer: { kind: "rejected", afterDays: 5 }, causes: "The claim is rejected after 5 days." },
  { rut: "41064117-8", insurer: { kind: "held" }, causes: "The claim is held until a second document is filed." },
  { rut: "41201848-6", insurer: { kind: "blocked", afterDays: 2 }, causes: "The insurer access is blocked on day 2." },
  { rut: "41339579-8", insurer: { kind: "portal_down", days: 2 }, causes: "The portal is down for 2 days." },
  {
    rut: "40006217-K",
    insurer: { kind: "access_missing" },
    causes: "The insurer access given is not accepted: missing.",
  },
  { rut: "40008548-K", insurer: { kind: "approved", afterDays: 12 }, causes: "The claim is approved on day 12." },
  { rut: "40000778-0", insurer: { kind: "never" }, causes: `The insurer never answers: day ${LATEST_COLLECTION_DAY}.` },
  {
    rut: "41477310-9",
    insurer: { kind: "blocked", afterDays: 0 },
    causes: "The insurer access is blocked from the start.",
  },
  {
    rut: "41615041-9",
    insurer: { kind: "approved", afterDays: 0 },
    causes: "The claim is approved on the day itself.",
  },
  { rut: "41752772-9", insurer: { kind: "approved", afterDays: 44 }, causes: "The claim is approved on day 44." },
  {
    rut: "41890503-4",
    insurer: { kind: "approved", afterDays: 46 },
    causes: "The claim is approved on day 46, too late.",
  },
  {
    rut: "42028234-6",
    documentsRefusedDays: 2,
    causes: "The tax document of the commission is refused until two days after the charge: no numbers are left.",
  },
];

export type AddressBehaviour = "refused" | "unknown" | "no_smtputf8";

export interface CatalogueAddress {
  readonly email: string;
  readonly behaviour: AddressBehaviour;
  readonly causes: string;
}

/** Mail to every other address arrives. */
export const CATALOGUE_ADDRESSES: readonly CatalogueAddress[] = [
  { email: "rebota@example.com", behaviour: "refused", causes: "Bounces: the mail is refused." },
  { email: "silencio@example.com", behaviour: "unknown", causes: "The mail server does not answer." },
  {
    email: "buzón@example.com",
    behaviour: "no_smtputf8",
    causes:
      "The mail server takes no address beyond ASCII: the mail is refused. Every other such address is written to.",
  },
];

export interface CatalogueNumber {
  /** In E.164. */
  readonly number: string;
  readonly behaviour: MessageRefusal | "unknown";
  readonly causes: string;
}

/** Messages to every other mobile number arrive. */
export const CATALOGUE_NUMBERS: readonly CatalogueNumber[] = [
  { number: "+56900000001", behaviour: "number_unknown", causes: "Bounces: nobody has this number." },
  { number: "+56900000002", behaviour: "unknown", causes: "The gateway for messages does not answer." },
  { number: "+56900000003", behaviour: "opted_out", causes: "Its owner has asked for no more messages." },
];

export interface CatalogueAccount {
  readonly number: string;
  readonly behaviour: AccountBehaviour;
  readonly causes: string;
}

/** Bank account numbers. Transfers to every other account are paid at once. */
export const CATALOGUE_ACCOUNTS: readonly CatalogueAccount[] = [
  { number: "1000000001", behaviour: "account_unknown", causes: "A transfer is refused: there is no such account." },
  { number: "1000000002", behaviour: "account_closed", causes: "A transfer is refused: the account is closed." },
  { number: "1000000003", behaviour: "holder_differs", causes: "A transfer is refused: it is somebody else's." },
  { number: "1000000004", behaviour: "bank_unavailable", causes: "A transfer is refused: its bank does not answer." },
  { number: "1000000005", behaviour: "pending", causes: "A transfer is pending for 26 hours, and then sent." },
  { number: "1000000006", behaviour: "returned", causes: "A transfer is sent, and comes back 12 hours later." },
];

/** The catalogue's entry of a card number; `null` if there is none. */
export function catalogueCard(number: string): CatalogueCard | null {
  return CATALOGUE_CARDS.find((card) => card.number === number) ?? null;
}

/** What happens to a transfer to an account; `null` if it is paid at once. */
export function accountBehaviour(accountNumber: string): AccountBehaviour | null {
  return CATALOGUE_ACCOUNTS.find((account) => account.number === accountNumber)?.behaviour ?? null;
}

/** The behaviour of a serial; `null` if it matches. */
export function serialBehaviour(serial: string): SerialBehaviour | null {
  return CATALOGUE_SERIALS.find((entry) => entry.serial === serial)?.behaviour ?? null;
}

export function creditBehaviour(rut: string): CreditBehaviour {
  return CATALOGUE_PATIENTS.find((person) => person.rut === rut)?.credit ?? "authorised";
}

export function insurerBehaviour(rut: string): InsurerBehaviour {
  const person = CATALOGUE_PATIENTS.find((entry) => entry.rut === rut);
  return person?.insurer ?? { kind: "approved", afterDays: APPROVAL_DAYS_DEFAULT };
}

/** The days after a charge during which a person's tax document is refused. */
export function documentRefusedDays(rut: string): number {
  return CATALOGUE_PATIENTS.find((person) => person.rut === rut)?.documentsRefusedDays ?? 0;
}

/** The behaviour of an address; `null` if its mail arrives. */
export function addressBehaviour(email: string): AddressBehaviour | null {
  return CATALOGUE_ADDRESSES.find((entry) => entry.email === emailKey(email))?.behaviour ?? null;
}

/** The behaviour of a telephone number; `null` if its messages arrive. */
export function numberBehaviour(number: string): CatalogueNumber["behaviour"] | null {
  return CATALOGUE_NUMBERS.find((entry) => entry.number === number)?.behaviour ?? null;
}

function visa(number: string, behaviour: CardBehaviour, causes: string): CatalogueCard {
  return { number, brand: "visa", kind: "credit", behaviour, causes };
}
