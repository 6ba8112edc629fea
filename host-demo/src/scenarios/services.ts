/** A service that the clinic sells on its page. Prices in CLP. */
export interface Service {
  readonly id: string;
  readonly name: string;
  readonly professional: string;
  readonly priceClp: number;
  readonly subtype: "consultation" | "exam" | "procedure";
  /** Its items, if the clinic shows them; they sum to the price. */
  readonly items?: readonly { readonly description: string; readonly quantity?: number; readonly amount: number }[];
}

export const SERVICES: readonly Service[] = [
  {
    id: "medicina-general",
    name: "Consulta de medicina general",
    professional: "Dra. Isidora Muñoz Vergara",
    priceClp: 22_000,
    subtype: "consultation",
  },
  {
    id: "traumatologia",
    name: "Consulta de traumatología",
    professional: "Dr. Benjamín Núñez Peña",
    priceClp: 38_990,
    subtype: "consultation",
  },
  {
    id: "dermatologia",
    name: "Consulta de dermatología",
    professional: "Dra. Josefa De la Fuente Ibáñez",
    priceClp: 45_952,
    subtype: "consultation",
  },
  {
    id: "ecografia",
    name: "Ecografía abdominal",
    professional: "Dr. Matías Soto Araya",
    priceClp: 68_975,
    subtype: "exam",
  },
  {
    id: "endoscopia",
    name: "Endoscopía digestiva alta",
    professional: "Dra. Isidora Muñoz Vergara",
    priceClp: 350_000,
    subtype: "procedure",
    items: [
      { description: "Endoscopía digestiva alta", amount: 270_000 },
      { description: "Sedación", amount: 45_000 },
      { description: "Biopsia", quantity: 2, amount: 35_000 },
    ],
  },
];

/** The front desk's item. The receptionist types the amount. */
export const AT_THE_DESK = {
  id: "meson",
  name: "Atención en el mesón",
  professional: "Recepción",
  subtype: "consultation",
} as const;

/** The item of a purchase: one of our services, or the amount typed at the front desk; null if it is no longer sold. */
export function soldIn(purchase: {
  readonly serviceId: string;
  readonly amountClp?: number | undefined;
}): Service | null {
  const { serviceId, amountClp } = purchase;
  return amountClp === undefined ? findService(serviceId) : { ...AT_THE_DESK, priceClp: amountClp };
}

export function findService(id: string): Service | null {
  return SERVICES.find((service) => service.id === id) ?? null;
}
