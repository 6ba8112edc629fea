import {
  CHARGE_TRIES_MAX,
  CHARGE_TRIES_WINDOW_DAYS,
  CODE_DIGITS,
  CODE_LIFETIME_MINUTES,
  DATA_LINK_HOURS,
  FIRST_PERCENTAGE,
} from "bff/contract/terms";
import { formatPercentage, partsOfDay, partsOfMoment } from "./format.ts";
import type { Words } from "./words.ts";

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

/** Day and month stay on one line. */
function date(day: string): string {
  const parts = partsOfDay(day);
  return `${parts.day}\u00a0${MONTHS[parts.month] ?? ""} ${parts.year}`;
}

const OUR_FAULT = {
  title: "Something failed on our side",
  text: "Your details are safe. Wait a moment and try again.",
};
const CLINIC_FAULT = {
  title: "We could not open this payment",
  text: "Something is wrong with the clinic's set-up. Tell them, and ask them to help you pay.",
};
const CHECK_DATA = {
  title: "Check your details",
  text: "We could not read one of them. Correct it and send it again.",
};
const NOT_FOUND = {
  title: "We cannot find this payment",
  text: "Open it again from the clinic's page.",
};

/** English, for patients who read it. Chilean institutions keep their names. */
const WAIT_OR_CLOSE = "You can wait here or close: once it is paid, the receipt arrives by e-mail.";

export const en: Words = {
  locale: "en",
  date,
  moment: (moment) => {
    const { day, time } = partsOfMoment(moment);
    return `${date(day)}, ${time}`;
  },
  percentage: (percentage) => formatPercentage(percentage, "."),
  page: {
    title: (screen) => `${screen} · Get care now, pay later`,
    secure: "Secure payment",
    loading: "Loading…",
    progress: (index, count) => `Step ${index} of ${count}`,
    back: "Back",
    retry: "Try again",
    close: "Close",
    optional: "optional",
    errorSummary: (count) => (count === 1 ? "There is one thing to check" : `There are ${count} things to check`),
    working: "One moment…",
  },

  help: {
    question: "Help",
    text: (provider) => `Talk to a person at ${provider}:`,
    email: "E-mail",
    phone: "Phone",
  },

  summary: {
    title: "Get care now, pay later",
    knownTitle: "Review and pay",
    items: "View breakdown",
    price: "Price",
    today: "Today",
    todayNote: `${FIRST_PERCENTAGE}% by card`,
    later: "Second charge",
    laterNote: (day) => `By ${day} at the latest`,
    commission: (percentage, regime) => `Fee (${percentage}, ${regime === "interest" ? "interest" : "VAT included"})`,
    total: "You pay in total",
    included: (commission) => `Includes a fee of ${commission}.`,
    when: (days) =>
      `The second charge is made to the same card when your isapre (private health insurer) approves the reimbursement, if it blocks our access ${days} days in a row or, otherwise, on that date.`,
    regardless: "Also if your isapre reimburses less, or nothing.",
    action: "Continue",
  },

  code: {
    label: `${CODE_DIGITS}-digit code`,
    missing: "Enter the code.",
    malformed: `The code has ${CODE_DIGITS} digits.`,
    action: "Confirm",
    resend: "Send another code",
    resendIn: (seconds) => `You can request another code in ${seconds} s`,
  },

  recognition: {
    title: "Paid this way before?",
    text: "Then we'll send you a code. Enter it and you won't have to repeat your details.",
    request: "Select the field and we'll send it.",
    requested: "If you have paid this way before, it goes to your registered mobile or e-mail.",
    earlier: "You requested a code a moment ago: use the last one you received.",
    requestedAgain: "You requested another code: if you have paid this way before, it comes by e-mail.",
    autoHint: `It works for ${CODE_LIFETIME_MINUTES} minutes. The last digit confirms it.`,
    hint: `It works for ${CODE_LIFETIME_MINUTES} minutes.`,
    send: "Send me a code",
    note: "Don't give the code to anyone, not even the clinic.",
    skipQuestion: "No code, or first time here?",
    skip: "Continue without a code",
  },

  leaving: { title: "Leave and lose what you typed?", leave: "Leave", stay: "Stay" },

  expiry: {
    warning: (minutes) =>
      minutes <= 1 ? "Your session expires in 1 minute." : `Your session expires in ${minutes} minutes.`,
    renew: "I need more time",
    failed: "We could not renew it.",
    finish: "Finish before then, or open the payment again from the clinic.",
    reopen: "Open the payment again from the clinic.",
  },

  unloaded: {
    title: "We could not connect",
    text: "Check your connection and try again.",
  },
  fault: {
    title: "Something failed on our side",
    text: "Load the page again and go on from where you were. If you had paid, you will not be charged twice.",
  },

  patient: {
    title: "Your details",
    rut: "RUT",
    rutHint: "For example 12.345.678-5",
    rutFixed: (provider) => `Given by ${provider}. If it is not yours, ask them to correct it before you pay.`,
    name: "Name",
    edit: "Edit",
    firstName: "First names",
    lastName: "Surnames",
    lastNameHint: "Both, as on your identity card.",
    email: "E-mail",
    emailHint: "Your receipt and notices go there.",
    phone: "Mobile phone",
    phoneHint: "For example 9 1234 5678",
    insurer: "Your isapre",
    insurerChoose: "Choose one",
    insurerOpen: "Open isapres",
    insurerClosed: "Closed isapres",
    insurerOther: "Something else",
    insurerFonasa: "Fonasa",
    insurerNone: "I have no isapre",
    accessFold: "Add your isapre's password",
    accessText:
      "With your password we claim your reimbursement. It travels encrypted, is used only for that, and you can give it later.",
    accessLater: "We cannot take your isapre's password right now. After you pay we will send you a link to give it.",
    access: "Your isapre's password",
    show: "Show",
    hide: "Hide",
    unsupportedTitle: "For now this works with an isapre only",
    unsupportedText: (provider) =>
      `The second charge depends on an isapre's reimbursement, so we cannot offer it to you yet. You have not been charged. Ask at ${provider} for another way to pay.`,
    unsupportedAction: "I chose wrongly, back to my details",
    action: "Continue",
  },

  agreement: {
    title: "Documents",
    kinds: {
      contract: "Contract",
      summary_sheet: "Summary sheet",
      withdrawal: "Withdrawal",
      privacy_notice: "Privacy notice",
    },
  },

  consents: {
    title: "Your authorisation",
    optional: "Optional",
    missing: "Tick this box to continue.",
    purposes: {
      terms_and_credit: "Contract and credit",
      later_charge: "I authorise the second charge",
      claim_mandate: "Claim my reimbursement for me",
      health_data: "Use my health data",
      insurer_access: "Use my isapre's password",
      saved_card: "Keep the card",
      marketing: "News",
    },
  },

  recognised: {
    title: "We've confirmed it's you",
    notMe: "Not me",
    codeOver: { title: "The code no longer works", text: "Request a new one, or continue without a code." },
    cardMissing: "Only your card is missing.",
    open: "Use a saved card",
    cardCode: {
      title: (card) => `Code for ${card}`,
      text: "Each code works for one card: enter the new one you receive.",
    },
  },

  identity: {
    title: "Confirm your identity",
    intro: "We use the number of your identity card to confirm with the Registro Civil that it is you.",
    forRut: (rut) => `Identity card of RUT ${rut}`,
    document: "Your identity card",
    cedula: "Chilean",
    cedulaForeign: "For foreigners",
    serial: "Document number",
    serialHint: "Not your RUT. For example 123.456.789",
    whereTitle: "Where is it?",
    cards: { old: "Card issued from 2013 to 2024", new: "Card issued since December 2024" },
    showCard: { old: "Show the card of 2013 to 2024", new: "Show the newest card" },
    where: "On the front, at “Número documento”.",
    privacy: "We do not keep this number.",
    action: "Confirm identity",
    attemptsLeft: (attempts) =>
      attempts === 0
        ? "You have no attempts left."
        : attempts === 1
          ? "You have 1 attempt left."
          : `You have ${attempts} attempts left.`,
    retryIn: (minutes) => (minutes === 1 ? "You can try in 1 minute." : `You can try in ${minutes} minutes.`),
  },

  cardPage: {
    intro: "You add it once, on the card processor's secure page. We use it today and for the second charge.",
    action: "Add my card",
    privacy: "Neither the clinic nor we see your card's number.",
    notCharged: "Nothing is charged yet.",
    dialog: {
      title: "Add your card",
      text: "This is the card processor's page.",
      leave: "Leave without adding it",
      unseen: "Can't see the page for your card?",
      openTab: "Open it in another tab",
      inTab: "Once you are done in the other tab, come back here: this page updates automatically.",
    },
    left: {
      title: "You did not finish adding your card",
      text: "If you have added it already, this page continues automatically. If not, open it again.",
    },
    processing: {
      title: "We are preparing the page",
      text: "The card processor has not answered yet. As soon as it does, you will see it here.",
    },
  },

  card: {
    title: "Your card",
    intro: "For today and the second charge.",
    number: "Card number",
    numberDoubt: "Check the number: it seems to have a mistake. If it is right, continue.",
    expiry: "Expiry date",
    expiryHint: "MM/YY",
    cvc: "Security code",
    cvcHint: (digits) => (digits === 4 ? "4 digits, on the front" : "3 digits, on the back"),
    holder: "Name on the card",
    sealed: "Encrypted here: the clinic never sees it.",
    action: "Continue",
    knownTitle: "Choose a card",
    newTitle: "Another card",
    accepted: "Debit, credit or prepaid",
  },

  review: {
    title: "Review and pay",
    change: "Change",
    card: "Card",
    cardEnds: (brand, last4) => `${brand || "Card"} ••${last4}`,
    cardExpires: (expiry) => `Expires ${expiry}`,
    otherCard: "Use another card",
    lender: "Financed by",
    annualCost: "Annual cost (CAE)",
    annualCostNote: (commission) => `It is high because the term is short: in pesos it is a fee of ${commission}.`,
    annualCostDay: (day) => `The CAE assumes the second charge on ${day}.`,
    financed: "Amount financed",
    termsTitle: "Early and late payment",
    earlyPayment: "You can pay earlier at any time, with the same fee. Write to us and we will help you.",
    latePayment: `If your bank declines the second charge, we try up to ${CHARGE_TRIES_MAX} times in ${CHARGE_TRIES_WINDOW_DAYS} days and tell you each time, so that you can change the card. The amount does not grow with the delay. If none works, you still owe it, and we tell you how to pay it.`,
    blocked: "Your isapre blocks our access, for example, if you change your password.",
    pay: (amount) => `Pay ${amount}`,
  },

  paying: {
    states: {
      sending: { title: "Processing your payment", text: "This takes a few seconds. Do not close this window." },
      asking: { title: "Checking your payment", text: "You will not be charged twice." },
      checking: { title: "Checking your payment", text: "We got no response. You will not be charged twice." },
      processing: { title: "Your bank is confirming", text: WAIT_OR_CLOSE },
      reviewing: { title: "Reviewing your credit", text: WAIT_OR_CLOSE },
      stuck: {
        title: "We cannot confirm your payment yet",
        text: `We keep checking, and you will not be charged twice. ${WAIT_OR_CLOSE} If it does not arrive, open the payment again from the clinic.`,
      },
    },
    challenge: {
      title: "Confirm with your bank",
      text: "This is your bank's page.",
      leave: "Leave without confirming",
      unseen: "Don't see your bank's page?",
      openTab: "Open it in another tab",
      inTab: "Once you have confirmed in the other tab, come back here: this page updates automatically.",
    },
    challengeLeft: {
      title: "You did not finish the confirmation",
      text: "If you have confirmed, the payment may still go through. If not, press Pay again.",
    },
    otherCardFrom: (time) => `You can pay with another card from ${time} (time in Chile).`,
  },

  declined: {
    title: "Use another card",
    intro: "We will use it today and for the second payment.",
    action: "Use another card",
    retry: (card) => `Try ${card} again`,
    byBank: (card, amount) => `Your bank declined ${card} for ${amount}`,
    notCharged: (card, amount) => `${amount} was not charged to ${card}.`,
  },

  refused: {
    title: "The credit was not approved",
    texts: {
      not_charged: "Nothing was charged to your card.",
      returned: "We refunded the first charge to your card. It may take a few days to appear.",
      not_returned:
        "The first charge was made, and your card did not accept the refund. We will contact you to return it.",
    },
    reasons: "Why",
    next: (provider) => `Ask at ${provider} about another way to pay.`,
    review: "Ask for a person to review it",
    reviewSent: {
      title: "Check your e-mail",
      text: "The link goes to the e-mail you registered. Open it and choose “Make a request”.",
    },
  },

  done: {
    title: "Done! Your payment is made",
    text: (amount, provider) => `You paid ${amount} to ${provider}.`,
    receipt: "Receipt",
    paidToday: "Paid today",
    paid: "Paid",
    cut: "Taken off for the refund",
    cutText: "The refund is first taken off the second charge.",
    returned: "Given back to your card",
    returnedText: (amount) => `We gave ${amount} back. It may take some days to show on your card.`,
    transferredText: (amount) => `We give ${amount} back by bank transfer: we write to you to ask for your account.`,
    bankReturnedText: (amount) => `Your bank had already given ${amount} back to you.`,
    refundTitles: { partially_refunded: "Payment partly refunded", refunded: "Payment refunded" },
    reference: "Reference",
    clinic: "Clinic",
    patient: "Patient",
    rut: "RUT",
    card: "Card",
    service: "Price",
    financed: "Part financed",
    details: "View details",
    nextTitle: "What happens next",
    nextClaim: "We claim your reimbursement",
    nextClaimText: (lacksAccess, until) =>
      `${lacksAccess ? "Once you give us your password and the clinic sends us your receipt." : "Once the clinic sends us your receipt: you do nothing."} It can be claimed until ${until}.`,
    missingAccess: {
      title: "One step left for your reimbursement",
      text: "Give us your isapre's password. Without it we cannot claim, and the second charge is made all the same.",
      action: "Give my password now",
    },
    missingAccessSent: "We sent you a link to give it, to the e-mail that you registered.",
    accessGiven: {
      title: "You have given us your isapre's password",
      text: "We will claim your reimbursement as soon as we have your receipt.",
    },
    nextNotice: "We tell you what your isapre answers",
    nextNoticeText: "By e-mail and message.",
    nextCharge: (amount, day) => `Second charge of ${amount}, by ${day} at the latest`,
    nextChargeText:
      "To your card. We tell you at least the day before or, if your isapre approves, on the day it confirms this to us.",
    nextChargeOn: (amount, day) => `Second charge of ${amount}, on ${day}`,
    nextChargeOnText: "To your card, once.",
    nextChargeInFlight: (amount) => `Second charge of ${amount}, in progress`,
    nextChargeInFlightText: "We are waiting for your bank. We will tell you the outcome.",
    nextChargeOnHold: "Second charge, no date for now",
    nextChargeOnHoldText: "If we make it, we will e-mail you first.",
    nextOwed: (amount, day) => `${amount} left to pay, by ${day} at the latest`,
    nextOwedText: "We will not charge your card again. Our e-mail says how to pay.",
    files: {
      receipt: "Download receipt (PDF)",
      agreement: "Download contract (PDF)",
      calendar: "Add to calendar",
    },
    return: (provider) => `Back to ${provider}`,
    closable: "You can close this page.",
    closableLater: "When you are done, you can close this page.",
    onboardedTitle: "Done! You are signed up",
    onboardedText: "We have saved your details. You can close this window.",
    onboardedLinked: "We have saved your details and your isapre's password. You can close this window.",
    alreadyTitle: "This payment is made already",
    collected: "The second charge has been made. There are no more.",
    noLater: "There is no second charge.",
    failedTitle: "The second charge is still to be made",
    owedTitle: "You have a payment left to make",
    owed: (amount) =>
      `You withdrew the authority to charge your card, and you still owe ${amount}. To pay, give another card with the button in the e-mail that we sent you, or ask the clinic for help.`,
    failed: (charge) =>
      `We could not make the second charge, of ${charge}, and it is still owed. To pay it, give another card with the button in the e-mail that we sent you, or ask the clinic for help.`,
    statuses: {
      pending: { title: "Payment pending", text: "There is no confirmed payment for this care yet." },
      partially_paid: {
        title: "We have your first payment",
        text: "The credit is still to be confirmed. If it is approved, the receipt comes by e-mail.",
      },
      cancelled: { title: "Order cancelled", text: "This order was cancelled and there is nothing to pay." },
    },
  },

  accessForm: {
    title: "Access to your isapre",
    intro: "First sign in to your isapre's portal to check that your password works.",
    passwordHint: "The one for your isapre's portal.",
    action: "Give access",
    note: "Your password is encrypted on this device. The clinic never sees it.",
  },

  myData: {
    title: "My data",
    text: "You can see, download or erase what we keep about you, and withdraw what you agreed to. The link goes to the e-mail that you registered with.",
    action: "Send me the link",
    sent: {
      title: "Check your e-mail",
      text: `If we keep data about you, the link arrives in a few minutes and works for ${DATA_LINK_HOURS} hours. If you have just asked for it, use the one that you already have.`,
    },
  },

  otherProblem: CLINIC_FAULT,
  problems: {
    malformed_json: OUR_FAULT,
    unreadable_body: OUR_FAULT,
    amount_too_small: {
      title: "The amount is too small",
      text: "This consultation cannot be paid in two parts. Ask at the clinic for another way to pay.",
    },
    amount_too_large: {
      title: "The amount is too high",
      text: "This consultation cannot be paid in two parts. Ask at the clinic for another way to pay.",
    },
    processor_customer_identity_not_validated: {
      title: "Confirm your identity first",
      text: "This step is missing before you can pay.",
    },
    processor_payment_method_not_found: {
      title: "Add your card first",
      text: "This step is missing before you can pay.",
    },
    patient_code_required: {
      title: "Confirm it is you",
      text: "Ask for a code and enter it to go on.",
    },
    consents_missing: {
      title: "Your authorisation is missing",
      text: "Read and tick each required box to go on.",
    },
    quote_changed: {
      title: "The terms have changed",
      text: "Nothing was charged. Check the amounts and dates, which are those of now, and accept them again.",
    },
    card_declined: {
      title: "Your bank declined the card",
      text: "Nothing was charged. Try another card or call your bank.",
    },
    card_expires_too_soon: {
      title: "Your card expires too soon",
      text: "It expires before the date of the second charge. Use another card.",
    },
    card_page_abandoned: {
      title: "You did not finish adding your card",
      text: "Nothing was charged. Open it again whenever you like.",
    },
    card_page_needed: {
      title: "Confirm your card",
      text: "The card processor asks you to confirm it on its page. Nothing was charged.",
    },
    card_page_not_offered: {
      title: "We cannot open the page for your card",
      text: "Reload this page and try again. Nothing was charged.",
    },
    stored_card_code_required: {
      title: "This card needs its own code",
      text: "Ask for a code for this card and enter it to go on.",
    },
    stored_card_refused: {
      title: "We cannot use your saved card",
      text: "Enter a card to go on. Nothing was charged.",
    },
    page_not_shown: {
      title: "We could not check your code",
      text: "Confirm it again.",
    },
    sealed_card_refused: {
      title: "Enter your card again",
      text: "For safety, the card's details are good for a few minutes only. Nothing was charged.",
    },
    credit_declined: {
      title: "The credit was not approved",
      text: "You can pay for your consultation another way: ask at the clinic.",
    },
    invalid_credential: CLINIC_FAULT,
    invalid_public_key: CLINIC_FAULT,
    not_found: NOT_FOUND,
    order_not_found: NOT_FOUND,
    beneficiary_not_found: { title: "We cannot find your record", text: "Check your RUT and try again." },
    widget_token_not_found: {
      title: "This link does not exist",
      text: "It may be incomplete. Open the payment again from the clinic's page.",
    },
    idempotency_in_flight: {
      title: "Your earlier request is still running",
      text: "Wait a moment: you will not be charged twice.",
    },
    order_not_payable: {
      title: "This order can no longer be paid",
      text: "It may be paid or cancelled. Ask at the clinic.",
    },
    payment_in_progress: {
      title: "A payment is in progress",
      text: "Wait for it to end before you change the card.",
    },
    RUT_OTHER_EMAIL: {
      title: "Your RUT is registered already",
      text: "It is registered with another e-mail. Choose how to go on.",
    },
    widget_token_expired: {
      title: "Your session expired",
      text: "Open the payment again from the clinic. If you have paid, the receipt is in your e-mail.",
    },
    widget_token_revoked: {
      title: "The clinic cancelled this link",
      text: "Go back to the clinic's page, or ask it for a new link.",
    },
    widget_token_used: {
      title: "This link has been used",
      text: "If you need anything else, go back to the clinic's page.",
    },
    recovery_code_expired: { title: "The code expired", text: "Ask for a new one." },
    body_too_large: CHECK_DATA,
    validation_error: CHECK_DATA,
    raw_card_refused: {
      title: "Do not enter your card here",
      text: "Delete the number and try again.",
    },
    document_serial_malformed: {
      title: "Check the document number",
      text: "It has 9 digits, like 123.456.789.",
    },
    identity_rejected: {
      title: "The number does not belong to your RUT",
      text: "Look at your identity card and enter it again. It is not the RUT.",
    },
    identity_document_not_valid: {
      title: "Your identity card is not valid",
      text: "It may be expired or blocked. If you have a newer one, use its number.",
    },
    patient_under_age: {
      title: "The credit is for people of 18 or older",
      text: "According to the national registry the patient is under age. Ask at the clinic for another way to pay.",
    },
    identity_attempts_exhausted: {
      title: "You made too many attempts",
      text: "For safety you have to wait before you try again. If you need to pay now, ask for help at the clinic.",
    },
    insurer_not_supported: {
      title: "We claim from isapres only",
      text: "Choose your isapre from the list.",
    },
    recovery_code_invalid: { title: "The code is not right", text: "Check it and write it again." },
    idempotency_key_reused: OUR_FAULT,
    idempotency_key_malformed: OUR_FAULT,
    rate_limited: { title: "Too many requests", text: "Wait a moment and try again." },
    internal_error: OUR_FAULT,
    upstream_unavailable: OUR_FAULT,
    service_unavailable: OUR_FAULT,
    identity_registry_unavailable: {
      title: "The Registro Civil is not responding",
      text: "It is not your fault, and you have not used up an attempt. Try again in a few minutes.",
    },
    card_processor_unavailable: {
      title: "The card processor is not responding",
      text: "Nothing was charged. Try again in a few minutes.",
    },
  },

  connection: {
    offline: {
      title: "You are offline",
      text: "Check your wifi or mobile data. What you wrote is still here.",
    },
    unreachable: {
      title: "We could not connect",
      text: "Check your connection and try again. What you wrote is still here.",
    },
    timeout: {
      title: "The answer is taking very long",
      text: "Try again. What you wrote is still here.",
    },
    unreadable: OUR_FAULT,
  },

  declines: {
    declined: {
      title: "Your bank declined the card",
      text: "Nothing was charged. Try another card or call your bank.",
    },
    insufficient_funds: {
      title: "Not enough available credit",
      text: "Nothing was charged.",
    },
    card_expired: { title: "Your card has expired", text: "Nothing was charged. Use a card that is valid." },
    card_lost_or_stolen: {
      title: "Your bank does not allow this card",
      text: "Nothing was charged. Call your bank and use another card.",
    },
    card_blocked: {
      title: "Your card is blocked",
      text: "Nothing was charged. Unblock it with your bank or use another card.",
    },
    security_code_wrong: {
      title: "The security code is not right",
      text: "Nothing was charged. Check the code and enter the card again.",
    },
    authentication_failed: {
      title: "Your bank could not confirm that it is you",
      text: "Nothing was charged. Try again or use another card.",
    },
    authentication_abandoned: {
      title: "You did not finish the confirmation with your bank",
      text: "Nothing was charged. Try again or use another card.",
    },
  },

  declineLimits: {
    amount: {
      title: "Your card has a limit that is less than this amount",
      text: "Nothing was charged. Raise the limit for a purchase or a day in your bank's app, or use another card.",
    },
    uses: {
      title: "Your card has reached its usage limit",
      text: "Nothing was charged. Raise the maximum in your bank's app, try on another day, or use another card.",
    },
  },

  faults: {
    rut_missing: "Enter your RUT.",
    rut_malformed: "Check your RUT: its check digit does not match. For example 12.345.678-5.",
    rut_not_person: "That RUT is a company's. Enter yours.",
    first_name_missing: "Enter your first names.",
    last_name_missing: "Enter your surnames.",
    email_missing: "Enter your e-mail.",
    email_malformed: "Check your e-mail. For example name@mail.com.",
    phone_missing: "Enter your mobile phone.",
    phone_malformed: "Check your mobile phone. For example 9 1234 5678.",
    insurer_missing: "Choose your isapre.",
    insurer_access_missing: "Enter the password of your isapre's portal.",
    serial_missing: "Enter the document number.",
    serial_malformed: "It has 9 digits, like 123.456.789.",
    card_number_missing: "Enter the card number.",
    card_number_length: "Check the card number: it has too few or too many digits.",
    expiry_missing: "Enter the expiry date.",
    expiry_malformed: "Write month and year, like 09/28.",
    expiry_past: "That card has expired. Use another one.",
    cvc_missing: "Enter the security code.",
    cvc_length: "Check the code: it has 3 digits, or 4 on American Express.",
    holder_missing: "Enter the name as it stands on the card.",
    holder_is_number: "The name goes here, not the number.",
    request_missing: "Choose what you ask for.",
    request_words_missing: "Tell us what you need.",
    refused_by_server: "Check this.",
  },
};
