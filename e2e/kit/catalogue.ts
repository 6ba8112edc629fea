/*
 * The other test values of the sandbox, each under a name. `bff/sandbox/e2e-catalogue.test.ts` compares them with the
 * sandbox's own catalogue.
 */

/** Serial numbers of identity cards. Any other nine digits match every RUT. */
export const SERIALS = {
  noMatch: { serial: "100000001", causes: "Rejected: the registry does not match it with the RUT." },
  documentNotValid: { serial: "100000002", causes: "The document is expired or blocked." },
  unavailable: { serial: "100000003", causes: "The registry is down." },
  underAge: { serial: "100000004", causes: "It matches, and its holder is under age." },
} as const satisfies Record<string, { readonly serial: string; readonly causes: string }>;

/**
 * RUTs that belong to no real person. They decide the credit and the isapre's answer:
 * `newPatient({rut: PEOPLE.claimHeld.rut})`.
 */
export const PEOPLE = {
  approved: { rut: "40100000-3", causes: "Everything succeeds; the claim is approved after 5 days." },
  creditRefused: { rut: "40237731-3", causes: "The credit is refused, with reasons." },
  creditReviewedThenAuthorised: {
    rut: "40375462-5",
    causes: "The credit is reviewed for 20 seconds, then authorised.",
  },
  creditReviewedThenRefused: { rut: "40513193-5", causes: "The credit is reviewed for 20 seconds, then refused." },
  creditConfirmationRefused: { rut: "40650924-9", causes: "Authorised, but its confirmation is refused." },
  registered: {
    rut: "40788655-0",
    email: "registrada@example.com",
    causes: "Registered under registrada@example.com.",
  },
  claimRejected: { rut: "40926386-0", causes: "The claim is rejected after 5 days." },
  claimHeld: { rut: "41064117-8", causes: "The claim is held until a second document is filed." },
  accessBlockedOnDay2: { rut: "41201848-6", causes: "The insurer access is blocked on day 2." },
  portalDown: { rut: "41339579-8", causes: "The portal is down for 2 days." },
  accessMissing: { rut: "40006217-K", causes: "The insurer access given is not accepted: missing." },
  claimApprovedOnDay12: { rut: "40008548-K", causes: "The claim is approved on day 12." },
  claimNeverAnswered: { rut: "40000778-0", causes: "The insurer never answers: day 45." },
  accessBlockedOnDay0: { rut: "41477310-9", causes: "The insurer access is blocked from the start." },
  claimApprovedOnDay0: { rut: "41615041-9", causes: "The claim is approved on the day itself." },
  claimApprovedOnDay44: { rut: "41752772-9", causes: "The claim is approved on day 44." },
  claimApprovedOnDay46: { rut: "41890503-4", causes: "The claim is approved on day 46, too late." },
  taxDocumentRefused: {
    rut: "42028234-6",
    causes: "The tax document of the commission is refused until two days after the charge: no numbers are left.",
  },
} as const satisfies Record<string, { readonly rut: string; readonly email?: string; readonly causes: string }>;

/** E-mail addresses. Mail to any other address arrives. */
export const ADDRESSES = {
  refused: { email: "rebota@example.com", causes: "Bounces: the mail is refused." },
  unknown: { email: "silencio@example.com", causes: "The mail server does not answer." },
  noSmtputf8: {
    email: "buzón@example.com",
    causes:
      "The mail server takes no address beyond ASCII: the mail is refused. Every other such address is written to.",
  },
} as const satisfies Record<string, { readonly email: string; readonly causes: string }>;

/** Mobile numbers. Messages to any other number arrive. */
export const PHONE_NUMBERS = {
  numberUnknown: { number: "+56900000001", causes: "Bounces: nobody has this number." },
  unknown: { number: "+56900000002", causes: "The gateway for messages does not answer." },
  optedOut: { number: "+56900000003", causes: "Its owner has asked for no more messages." },
} as const satisfies Record<string, { readonly number: string; readonly causes: string }>;

/** Bank accounts that receive payouts. Transfers to any other account arrive at once. */
export const BANK_ACCOUNTS = {
  accountUnknown: { number: "1000000001", causes: "A transfer is refused: there is no such account." },
  accountClosed: { number: "1000000002", causes: "A transfer is refused: the account is closed." },
  holderDiffers: { number: "1000000003", causes: "A transfer is refused: it is somebody else's." },
  bankUnavailable: { number: "1000000004", causes: "A transfer is refused: its bank does not answer." },
  pending: { number: "1000000005", causes: "A transfer is pending for 26 hours, and then sent." },
  returned: { number: "1000000006", causes: "A transfer is sent, and comes back 12 hours later." },
} as const satisfies Record<string, { readonly number: string; readonly causes: string }>;
