/** The place in the clinic's page that the address names after `#`, so that a reload or a link leads back to it. */
export type Place =
  | { readonly at: "shop" }
  | { readonly at: "purchase"; readonly id: string }
  | { readonly at: "scenarios" }
  | { readonly at: "gallery"; readonly settings: URLSearchParams }
  | { readonly at: "deliveries" };

const PURCHASE = /^#\/pago\/([0-9a-f-]{36})$/;

/** An unknown address leads to the shop. */
export function placeInAddress(hash: string): Place {
  const id = PURCHASE.exec(hash)?.[1];
  if (id !== undefined) return { at: "purchase", id };
  const [path, query = ""] = hash.split("?", 2);
  if (path === "#/escenarios") return { at: "scenarios" };
  if (path === "#/galeria") return { at: "gallery", settings: new URLSearchParams(query) };
  if (path === "#/entregas") return { at: "deliveries" };
  return { at: "shop" };
}

export function addressOfPurchase(id: string): string {
  return `#/pago/${id}`;
}

export function addressOfGallery(settings: URLSearchParams): string {
  return `#/galeria?${settings}`;
}

/** The scenario that the address names (`?escenario=…`); it stays in the address from the shop to the payment. */
export function scenarioInAddress(search: string): string | null {
  return new URLSearchParams(search).get("escenario");
}

/** Starts a new visit, since the scenario is read when the page loads. */
export function addressOfScenario(id: string): string {
  return `/?${new URLSearchParams({ escenario: id })}`;
}
