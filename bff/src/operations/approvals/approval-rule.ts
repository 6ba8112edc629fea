/** An operator who approves or asks, as far as that matters. */
export interface Approver {
  /** From when they may approve; null: always. */
  readonly approvesFrom: Date | null;
  /** Who asked for them to be added and who approved it; null: no two operators did. */
  readonly madeBy: { readonly askedBy: string; readonly approvedBy: string } | null;
}

/** Why an operator may not approve what another asked for, in words for them; null if they may. */
export function whyNotApprove(
  { approver, approverActor }: { readonly approver: Approver | null; readonly approverActor: string },
  { asker, askerActor }: { readonly asker: Approver | null; readonly askerActor: string },
  now: Date,
): string | null {
  if (approver !== null && approver.approvesFrom !== null && now < approver.approvesFrom)
    return `You are new: you may approve from ${approver.approvesFrom.toISOString()} on. Another operator has to approve it.`;
  const makers = approver?.madeBy ?? null;
  if (makers !== null && [makers.askedBy, makers.approvedBy].includes(askerActor))
    return "You do not approve what the operators ask for who added you. Another operator has to approve it.";
  // The approver was shown the new operator's token.
  if (asker?.madeBy?.approvedBy === approverActor)
    return "You do not approve what an operator asks for whom you have added. Another operator has to approve it.";
  return null;
}
