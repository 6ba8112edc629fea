/** The facts about an operator that decide what they may approve. */
export interface Approver {
  /** When they may first approve; null: always. */
  readonly approvesFrom: Date | null;
  /** Every approved request that added them or changed their role. Its approver was shown their token. */
  readonly makers: readonly { readonly askedBy: string; readonly approvedBy: string }[];
}

/** Why an operator may not approve another operator's request, for the operator; null if they may. */
export function whyNotApprove(
  { approver, approverActor }: { readonly approver: Approver | null; readonly approverActor: string },
  { asker, askerActor }: { readonly asker: Approver | null; readonly askerActor: string },
  now: Date,
): string | null {
  if (approverActor === askerActor) return "You made this request yourself. Another operator has to approve it.";
  if (approver !== null && approver.approvesFrom !== null && now < approver.approvesFrom)
    return `You are new: you may approve from ${approver.approvesFrom.toISOString()} on. Another operator has to approve it.`;
  if (approver?.makers.some(({ askedBy, approvedBy }) => [askedBy, approvedBy].includes(askerActor)) === true)
    return "You may not approve requests of the operators who added you or changed your role. Another operator has to approve it.";
  if (asker?.makers.some(({ approvedBy }) => approvedBy === approverActor) === true)
    return "You may not approve requests of an operator whom you added or whose role you changed. Another operator has to approve it.";
  return null;
}
