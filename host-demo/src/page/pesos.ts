const FORMAT = new Intl.NumberFormat("es-CL", { style: "currency", currency: "CLP" });

export function pesos(amountClp: number): string {
  return FORMAT.format(amountClp);
}
