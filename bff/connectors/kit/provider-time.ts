/** A real moment after a call began, in the time of the provider that made the call. */
export function inProviderTime(call: { readonly at: Date; readonly begunAt: Date }, moment: Date): Date {
  return new Date(call.at.getTime() + moment.getTime() - call.begunAt.getTime());
}
