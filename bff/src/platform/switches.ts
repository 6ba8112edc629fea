/**
 * The work that an operator can switch off: charging cards, paying clinics, mails and messages to patients, claims at
 * insurers.
 */
export const SWITCHES = ["charges", "payouts", "mails", "claims"] as const;
export type Switch = (typeof SWITCHES)[number];
