/**
 * Every number that patients or partners are promised, defined once, so that service and texts agree. Texts take their
 * numbers from here, and a test finds texts that contain such a number directly. Each number is a separate constant, so
 * that a bundle contains only those that it uses. Each name ends in its unit.
 */

// How an order is split

/** The first instalment's share of the total, paid today. */
export const FIRST_PERCENTAGE = 30;
export const DEFERRED_PERCENTAGE = 100 - FIRST_PERCENTAGE;

/** The share of VAT on top of the net price of a taxed service. */
export const VAT_PERCENTAGE = 19;

// When the deferred part is charged: at the insurer's approval, after blocked access or on the latest day, whichever is
// first

/** The latest day, counted from the day of the payment. */
export const LATEST_COLLECTION_DAY = 45;
/**
 * After access to the insurer has been blocked without a break for this many times 24 hours, the deferred part is due.
 */
export const ACCESS_BLOCKED_DAYS = 3;
/** The patient is notified of the charge this many days before the latest day. */
export const ANNOUNCED_DAYS_BEFORE = 3;
/**
 * Every other charge that the patient does not start is announced at least this many days before, except one caused by
 * an approval.
 */
export const ANNOUNCED_DAYS_MIN = 1;
/** Charges by the mandate are made from this hour of the day, in Santiago. */
export const CHARGE_FROM_HOUR = 9;

// When a declined charge is tried again

export const CHARGE_TRIES_WINDOW_DAYS = 10;
/** Two tries are at least this many hours apart, even if the patient asked for the earlier one. */
export const CHARGE_TRY_DISTANCE_HOURS = 24;
/** The later tries follow this many days after the first, so that they fall on different times of the month. */
export const LATER_CHARGE_TRIES_AFTER_DAYS = [2, 5, 9] as const;
export const CHARGE_TRIES_MAX = 1 + LATER_CHARGE_TRIES_AFTER_DAYS.length;
/** The maximum number of declined charges that a patient may request in a day and in thirty days, with any card. */
export const ASKED_CHARGES_PER_DAY_MAX = 3;
export const ASKED_CHARGES_PER_THIRTY_DAYS_MAX = 10;

// Calls to a gateway whose outcome is unknown

/** The pauses before each inquiry about a call; all later inquiries use the last pause below. */
export const INQUIRY_DELAYS_SECONDS = [10, 30, 120, 600] as const;
export const INQUIRY_DELAY_LAST_SECONDS = 3_600;
/** After this time an unknown outcome is also listed for an operator. */
export const UNKNOWN_OUTCOME_HOURS_MAX = 6;
/** A claim that an operator files by hand is late after so many hours. */
export const HAND_FILING_HOURS_MAX = 24;

// Returns that the card processor accepted and completes later

/** The pauses before each inquiry about such a return; all later inquiries use the last pause below. */
export const TAKEN_DELAYS_SECONDS = [600, 3_600, 10_800] as const;
export const TAKEN_DELAY_LAST_SECONDS = 21_600;
/** Cap on the processor's own deadline for a return. After it an operator is notified. */
export const TAKEN_RETURN_DAYS_MAX = 30;

/** A tax document that could not be issued for this long is listed for an operator. */
export const TAX_DOCUMENT_HOURS_MAX = 24;

// Claims

/** The insurer is asked about a waiting claim hourly from this hour, in Santiago, each claim at its own minute. */
export const CLAIM_ASKED_FROM_HOUR = 8;
/**
 * The last inquiry of the day, each claim at its own time between these two. It is late, so that few approvals are
 * learned on the next day, and leaves time to charge on that day.
 */
export const CLAIM_ASKED_LAST_FROM = { hour: 23, minute: 35 } as const;
export const CLAIM_ASKED_LAST_UNTIL = { hour: 23, minute: 55 } as const;
/** A claim that waits this long for a document or for access is listed for an operator. */
export const CLAIM_WAITING_DAYS_MAX = 3;
/**
 * A receipt that is missing this many days after the payment is listed for an operator. Clinic and patient are
 * notified.
 */
export const RECEIPT_DUE_DAYS = 3;
/** A patient whose claim cannot be filed is reminded this many days after the payment. */
export const UNFILED_REMINDER_DAYS = [RECEIPT_DUE_DAYS, 10, 30] as const;
/** Reminders are sent from this hour of the day, in Santiago. */
export const REMINDED_FROM_HOUR = 10;
/** Isapres accept claims for receipts up to this age. */
export const CLAIMED_WITHIN_DAYS = 60;
/** How long an isapre usually takes to answer a claim, in its working days. */
export const USUAL_CLAIM_ANSWER_WORKING_DAYS_MIN = 3;
export const USUAL_CLAIM_ANSWER_WORKING_DAYS_MAX = 10;

// Payouts

/** The daily payouts of all providers are spread over 45 minutes from then, in Santiago. */
export const PAYOUT_HOUR = 10;
/** A clinic that owes a part of its payouts for this long is listed for an operator. */
export const PAYEE_OWES_DAYS_MAX = 30;

// Operators

/**
 * One operator alone may pay out less than this within 24 hours. The database has the same limit
 * (`solo_amounts_limit`).
 */
export const TWO_OPERATORS_FROM_CLP = 300_000;

// Receipts (expenses)

export const EXPENSE_FILES_MIN = 1;
export const EXPENSE_FILES_MAX = 5;
export const EXPENSE_FILE_MEGABYTES_MAX = 2;
export const EXPENSE_FILE_BYTES_MAX = EXPENSE_FILE_MEGABYTES_MAX * 1024 * 1024;
/** An expense file that is given by its URL must be fetched within this time and this many redirects. */
export const EXPENSE_FETCH_TIMEOUT_SECONDS = 10;
export const EXPENSE_FETCH_REDIRECTS_MAX = 3;
/** A trial is valid while fewer than this many expenses were sent. */
export const FREE_TRIAL_EXPENSES = 2;

// Widget tokens and the links that the service sends

export const STANDARD_LIFETIME_MINUTES = 60;
export const LONG_TERM_LIFETIME_DAYS = 30;
export const LONG_TERM_LIFETIME_MINUTES = LONG_TERM_LIFETIME_DAYS * 24 * 60;
export const CUSTOM_LIFETIME_MINUTES_MIN = 15;
export const CUSTOM_LIFETIME_MINUTES_MAX = 43_200;
/** High enough for a patient who opens the page of an order again and again. */
export const MINTINGS_OF_ORDER_PER_HOUR_MAX = 120;
/** E-mails with the address of a checkout. Refused ones count too, so that an address cannot be guessed. */
export const CHECKOUT_MAILS_OF_ORDER_PER_HOUR_MAX = 5;
/** The widget warns the patient this long before its token expires. */
export const EXPIRY_WARNING_MINUTES = 5;
/** Links by which the patient gives access again, changes the card or pays early. */
export const SELF_SERVICE_LINK_DAYS = LONG_TERM_LIFETIME_MINUTES / 60 / 24;
/** The link to the patient's own data. */
export const DATA_LINK_HOURS = 24;
/** How long a payment page stays open after everything about its order has ended. */
export const PAYMENT_PAGE_DAYS = 60;
/** How long an answered one-time code allows the action of a link. */
export const LINK_ACCESS_MINUTES = 30;

// One-time codes and changes of e-mail

export const CODE_DIGITS = 6;
export const CODE_LIFETIME_MINUTES = 10;
export const CODE_TRIES_MAX = 5;
/** Limits for one RUT: with all tries of these codes, guessing succeeds once in twenty thousand days. */
export const CODES_PER_HOUR_MAX = 5;
export const CODES_PER_DAY_MAX = 10;
/** The pause between two codes for one RUT, from any visit. */
export const CODE_RESEND_PAUSE_SECONDS = 60;
/** How long the old address may object to a change of e-mail. */
export const OBJECTION_HOURS = 48;

// Patients' requests under the data law that an operator answers

/** A request is answered within this many days, as required by law. */
export const RIGHTS_ANSWER_DAYS = 30;
/** A request that has waited this long is listed as late, while there is still time. */
export const RIGHTS_WARNING_DAYS = 20;

// Known patients

/**
 * How long a patient is recognised without their document after the registry's match, unless the provider has another
 * setting.
 */
export const IDENTITY_TRUSTED_DAYS = 180;
export const IDENTITY_TRUSTED_DAYS_MAX = 365;
/** How long recognition is disabled after a change of address. */
export const CONTACT_SETTLES_DAYS = 7;

/** How long a recognition is valid, for choosing saved cards and paying the order. */
export const RECOGNISED_MINUTES = 30;

// Identity

/** How often per hour the national registry may reject a person's serial. */
export const IDENTITY_REJECTIONS_PER_HOUR_MAX = 5;
/** How long a sealed card is accepted after sealing. */
export const SEALED_CARD_MINUTES_MAX = 15;

/** How long a signed receipt is valid. */
export const SIGNED_RECEIPT_MINUTES = 10;

// Outside parties

/** A charge or return that the card processor has not settled by then is a difference. */
export const CARD_SETTLED_WITHIN_DAYS = 10;

/** How long the last known sealing key of an unresponsive party is used. */
export const SEALING_KEY_KEPT_DAYS = 7;

// Calls of partners

/** How long the first response is repeated for the same Idempotency-Key. */
export const IDEMPOTENCY_HOURS = 24;
/** Steps of one order's payment: far more than a patient makes, and far fewer than guessing needs. */
export const ORDER_STEPS_PER_MINUTE_MAX = 60;
/** How often the contract of one order is printed as a PDF, which costs far more than other steps. */
export const CONTRACT_FILES_OF_ORDER_PER_HOUR_MAX = 20;
/** The number of receipts for one patient that a provider may send. */
export const RECEIPTS_OF_PATIENT_PER_HOUR_MAX = 120;
/**
 * Calls that reveal whether a RUT is registered, from one address with any public key to any endpoint. A checkout makes
 * about four, so this is 7,200 patients in an hour, which no clinic receives at one address.
 */
export const PATIENT_LOOKUPS_PER_TEN_MINUTES_MAX = 4_800;
/** Such calls of one provider in a day, from all addresses. Further ones are answered, and logged once. */
export const PATIENT_LOOKUPS_OF_PROVIDER_PER_DAY_EXPECTED = 20_000;
/** How long a replaced credential or webhook secret may stay valid in addition to the new one. */
export const OVERLAP_HOURS_MAX = 30 * 24;
export const OVERLAP_HOURS_DEFAULT = 24;

// Webhooks

/** Pauses after the end of the previous attempt; the first attempt is made at once. */
export const WEBHOOK_DELAYS_SECONDS = [60, 300, 900, 1_800, 3_600] as const;
export const WEBHOOK_ATTEMPTS_MAX = WEBHOOK_DELAYS_SECONDS.length + 1;
export const WEBHOOK_TIMEOUT_SECONDS = 10;
/** The provider is notified of an endpoint that has failed for this long. */
export const WEBHOOK_FAILING_DAYS = 5;
/** How long an ended delivery is listed with its attempts and can be sent again. The event stays in the log. */
export const DELIVERIES_KEPT_DAYS = 90;
