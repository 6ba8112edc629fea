/** The place in the clinic's page that the address names after `#`, so that a reload or a link leads back to it. */
export type Place =
  | { readonly at: "shop" }
  | { readonly at: "purchase"; readonly id: string }
  | { readonly at: "desk"; readonly id: string | null }
  | { readonly at: "scenarios" }
  | { readonly at: "gallery"; readonly settings: URLSearchParams }
  | { readonly at: "appearance"; readonly settings: URLSearchParams }
  | { readonly at: "deliveries" }
  | { readonly at: "examination" };

const PURCHASE = /^#\/pago\/([0-9a-f-]{36})$/;
const AT_DESK = /^#\/meson(?:\/([0-9a-f-]{36}))?$/;

/** An unknown address leads to the shop. */
export function placeInAddress(hash: string): Place {
  const id = PURCHASE.exec(hash)?.[1];
  if (id !== undefined) return { at: "purchase", id };
  const atDesk = AT_DESK.exec(hash);
  if (atDesk !== null) return { at: "desk", id: atDesk[1] ?? null };
  const [path, query = ""] = hash.split("?", 2);
  if (path === "#/escenarios") return { at: "scenarios" };
  if (path === "#/galeria") return { at: "gallery", settings: new URLSearchParams(query) };
  if (path === "#/apariencia") return { at: "appearance", settings: new URLSearchParams(query) };
  if (path === "#/entregas") return { at: "deliveries" };
  if (path === "#/revision") return { at: "examination" };
  return { at: "shop" };
}

export function addressOfPurchase(id: string): string {
  return `#/pago/${id}`;
}

/** The desk's page of a purchase. */
export function addressAtDesk(id: string): string {
  return `#/meson/${id}`;
}

export function addressOfGallery(settings: URLSearchParams): string {
  return `#/galeria?${settings}`;
}

export function addressOfAppearance(settings: URLSearchParams): string {
  return `#/apariencia?${settings}`;
}

/** The scenario that the address names (`?escenario=…`); it stays in the address from the shop to the payment. */
export function scenarioInAddress(search: string): string | null {
  return new URLSearchParams(search).get("escenario");
}

/** The page as seen by a tester, with the QA bench, or by a patient of the clinic. */
export type View = "bench" | "patient";

const VIEW = "vista";

/** The view that the address names (`?vista=paciente`), so that it can be shared and survives a reload. */
export function viewInAddress(search: string): View {
  return new URLSearchParams(search).get(VIEW) === "paciente" ? "patient" : "bench";
}

/** The same address with another view. */
export function addressOfView(view: View, { pathname, search, hash }: Pick<Location, "pathname" | "search" | "hash">) {
  const query = new URLSearchParams(search);
  query.delete(VIEW);
  if (view === "patient") query.set(VIEW, "paciente");
  return `${pathname}${query.size === 0 ? "" : `?${query}`}${hash}`;
}

/** Starts a new visit, since the scenario is read when the page loads. */
export function addressOfScenario(id: string): string {
  return `/?${new URLSearchParams({ escenario: id })}`;
}
