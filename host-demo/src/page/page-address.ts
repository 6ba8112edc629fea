/** The purchase that the address names (`#/pago/<id>`), so that a reload comes back to it. */
export function purchaseInAddress(hash: string): string | null {
  return /^#\/pago\/([0-9a-f-]{36})$/.exec(hash)?.[1] ?? null;
}

export function addressOfPurchase(id: string): string {
  return `#/pago/${id}`;
}
