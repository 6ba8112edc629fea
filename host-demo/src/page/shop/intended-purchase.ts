import type { Person } from "../../scenarios/people.ts";
import type { Service } from "../../scenarios/services.ts";

/** A started purchase, with its checkout. */
export interface BegunPurchase<Address> {
  readonly id: string;
  readonly url: Address;
}

export interface IntendedPurchase<Address> {
  /**
   * Begins the purchase when the patient is about to press, so that it is ready by then. A failure is shown only after
   * the press.
   */
  readonly expect: (service: Service, person: Person) => void;
  /** The patient has pressed: returns the purchase started for exactly this choice, or starts one now. */
  readonly begin: (service: Service, person: Person) => Promise<BegunPurchase<Address>>;
}

/** Begins a purchase when the patient is about to want it, once for the same service and person. */
export function createIntendedPurchase<Address>(
  start: (service: Service, person: Person) => Promise<BegunPurchase<Address>>,
): IntendedPurchase<Address> {
  let intended: { readonly of: string; readonly begun: Promise<BegunPurchase<Address>> } | null = null;

  function begin(service: Service, person: Person): Promise<BegunPurchase<Address>> {
    const of = JSON.stringify([service.id, person]);
    if (intended?.of !== of) {
      const begun = start(service, person);
      intended = { of, begun };
      begun.catch(() => {
        if (intended?.begun === begun) intended = null;
      });
    }
    return intended.begun;
  }

  return {
    expect: (service, person) => void begin(service, person),
    begin: async (service, person) => {
      const begun = await begin(service, person);
      intended = null;
      return begun;
    },
  };
}
