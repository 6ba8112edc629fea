/**
 * Every number of the business, once: what patients and partners are promised is what the service acts on. Texts take their
 * numbers from here, and a test finds those that say one themselves. One constant each, so that a bundle holds only what it
 * uses; each name ends in its unit.
 */

// How an order is split

/** The first instalment's share of the total, paid today. */
export const FIRST_PERCENTAGE = 30;
export const DEFERRED_PERCENTAGE = 100 - FIRST_PERCENTAGE;

// When the deferred part is charged: on the first of the insurer's approval, blocked access, and the latest day

/** The latest day, counted from the day of the payment. */
export const LATEST_COLLECTION_DAY = 45;
/** Access to the insurer that stays blocked for so long makes the deferred part due: so many times 24 hours without a break. */
export const ACCESS_BLOCKED_DAYS = 3;
/** The patient is told of the charge so many days before the latest day. */
export const ANNOUNCED_DAYS_BEFORE = 3;
/** Charges by the mandate run from this hour of the day on, in Santiago. */
export const CHARGE_FROM_HOUR = 9;

// When a declined charge is tried again

export const CHARGE_TRIES_MAX = 4;
export const CHARGE_TRIES_WINDOW_DAYS = 10;
/** Never two tries within so many hours, whoever asked for the one before. */
export const CHARGE_TRY_DISTANCE_HOURS = 24;
/** How many days after the first try the others follow, so that they meet different moments of a month. */
export const LATER_CHARGE_TRIES_AFTER_DAYS = [2, 5, 9] as const;
/** So many charges that a patient asked for may be declined in a day, and in thirty, whichever cards they gave. */
export const ASKED_CHARGES_PER_DAY_MAX = 3;
export const ASKED_CHARGES_PER_THIRTY_DAYS_MAX = 10;

// Calls to a gateway whose outcome is unknown

/** After these pauses the gateway is asked what became of the call, and then after the last one each time. */
export const INQUIRY_DELAYS_SECONDS = [10, 30, 120, 600] as const;
export const INQUIRY_DELAY_LAST_SECONDS = 3_600;
/** An outcome that is unknown for so long is looked at by a person, beside being asked for. */
export const UNKNOWN_OUTCOME_HOURS_MAX = 6;

// Claims

/** A claim that waits for so long for a document, or for access, is looked at by a person. */
export const CLAIM_WAITING_DAYS_MAX = 3;
/** How long an isapre usually takes to answer a claim, in its working days. */
export const USUAL_CLAIM_ANSWER_WORKING_DAYS_MIN = 3;
export const USUAL_CLAIM_ANSWER_WORKING_DAYS_MAX = 10;

// Receipts (expenses)

export const EXPENSE_FILES_MIN = 1;
export const EXPENSE_FILES_MAX = 5;
export const EXPENSE_FILE_MEGABYTES_MAX = 2;
export const EXPENSE_FILE_BYTES_MAX = EXPENSE_FILE_MEGABYTES_MAX * 1024 * 1024;
/** An expense that is given by its address is fetched within this time, over so many redirects at most. */
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
/** A patient who opens the page of an order again and again is far below it. */
export const MINTINGS_OF_ORDER_PER_HOUR_MAX = 120;
/** The widget warns the patient this long before its token ends. */
export const EXPIRY_WARNING_MINUTES = 5;
/** A link by which the patient gives access again, changes the card or pays early. */
export const SELF_SERVICE_LINK_DAYS = LONG_TERM_LIFETIME_MINUTES / 60 / 24;
/** The link to the patient's own data. */
export const DATA_LINK_HOURS = 24;
/** For so long the answered one-time code opens what a link is for. */
export const LINK_ACCESS_MINUTES = 30;

// One-time codes and changes of e-mail

export const CODE_DIGITS = 6;
export const CODE_LIFETIME_MINUTES = 10;
export const CODE_TRIES_MAX = 5;
/** Codes for one RUT: with their tries they leave a guesser one chance in twenty thousand a day. */
export const CODES_PER_HOUR_MAX = 5;
export const CODES_PER_DAY_MAX = 10;
/** Between two codes for one RUT, whoever asks. */
export const CODE_RESEND_PAUSE_SECONDS = 60;
/** For so long the old address may object to a change of e-mail. */
export const OBJECTION_HOURS = 48;

// Identity

/** The national registry may reject a person's serial so often in an hour. */
export const IDENTITY_REJECTIONS_PER_HOUR_MAX = 5;
/** A sealed card is taken for so long after it was sealed. */
export const SEALED_CARD_MINUTES_MAX = 15;

// Calls of partners

/** For so long the first answer is given again under its Idempotency-Key. */
export const IDEMPOTENCY_HOURS = 24;
/** A credential or a webhook secret that is replaced may stay valid beside the new one. */
export const OVERLAP_HOURS_MAX = 30 * 24;
export const OVERLAP_HOURS_DEFAULT = 24;

// Webhooks

/** Pauses after the end of the attempt before; the first attempt is made at once. */
export const WEBHOOK_DELAYS_SECONDS = [60, 300, 900, 1_800, 3_600] as const;
export const WEBHOOK_ATTEMPTS_MAX = WEBHOOK_DELAYS_SECONDS.length + 1;
export const WEBHOOK_TIMEOUT_SECONDS = 10;
/** An endpoint that has failed for so long is told of to the provider. */
export const WEBHOOK_FAILING_DAYS = 5;
