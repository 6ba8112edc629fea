import type { Resolution } from "../exceptions/exception-kinds.ts";

/** The roles of operators, in ascending order of permissions. */
export const ROLES = ["viewer", "support", "finance", "operator"] as const;
export type Role = (typeof ROLES)[number];

/** The abilities that pages require. */
export const ABILITIES = {
  /** Orders, exceptions, money and settings, with patients' data masked. */
  look: ["viewer", "support", "finance", "operator"],
  /** A patient's data in full. Each look is audited with its reason. */
  reveal: ["operator"],
  /** Orders by their patient's RUT or e-mail; each search is audited. */
  find_people: ["support", "operator"],
  /** Patients' requests, and links to patients. */
  help: ["support", "operator"],
  /** Some exceptions; `mayResolve` decides which. */
  resolve: ["support", "finance", "operator"],
  replay: ["support", "operator"],
  /** Changing clinics' bank accounts. Each change needs two operators. */
  account: ["finance", "operator"],
  switch: ["operator"],
  credentials: ["operator"],
  audit: ["finance", "operator"],
} as const satisfies Record<string, readonly Role[]>;
export type Ability = keyof typeof ABILITIES;

export function may(role: Role, ability: Ability): boolean {
  const roles: readonly Role[] = ABILITIES[ability];
  return roles.includes(role);
}

/** The roles that may choose a resolution, besides `operator`. */
const RESOLVERS: Readonly<Record<Resolution, readonly Role[]>> = {
  retry: ["finance"],
  release: ["finance"],
  paid_otherwise: ["finance"],
  paid_after_write_off: ["finance"],
  write_off: ["finance"],
  chargeback_won: ["finance"],
  chargeback_lost: ["finance"],
  recover_from_clinic: ["finance"],
  paid_back: ["finance"],
  transferred: ["finance"],
  issue_now: ["finance"],
  recount: ["finance"],
  confirm_account: ["finance"],
  return_charge: ["finance"],
  cancel_loan: ["finance"],
  file_again: ["support"],
  give_up_claim: ["support"],
  filed_by_hand: ["support"],
  document_lacking: ["support"],
  isapre_approved: ["support"],
  isapre_rejected: ["support"],
  claim_withdrawn: ["support"],
  send_again: ["support"],
  grant_request: ["support"],
  refuse_request: ["support"],
  ask_again: ["support", "finance"],
  portal_done: ["finance"],
  portal_not_done: ["finance"],
  handled: ["support", "finance"],
};

export function mayResolve(role: Role, resolution: Resolution): boolean {
  return role === "operator" || RESOLVERS[resolution].includes(role);
}
