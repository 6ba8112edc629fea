/** One measured figure. */
export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly limit?: { readonly atLeast: number } | { readonly atMost: number };
}

/**
 * Prints a row as text or, with `--json`, as an object on one line. Sets exit code 1 for an exceeded limit, and for a
 * figure that is not above 0, which measured nothing.
 */
export function printRow({ name, value, unit, limit }: Row): void {
  const rounded = Number(value.toFixed(3));
  const words = limit === undefined ? null : "atLeast" in limit ? `≥ ${limit.atLeast}` : `≤ ${limit.atMost}`;
  const line = `${name}  ${rounded}  ${unit}${words === null ? "" : `  (${words})`}`;
  console.log(process.argv.includes("--json") ? JSON.stringify({ name, value: rounded, unit, limit: words }) : line);
  const isHeld = limit === undefined || ("atLeast" in limit ? value >= limit.atLeast : value <= limit.atMost);
  if (!isHeld || !(value > 0)) process.exitCode = 1;
}
