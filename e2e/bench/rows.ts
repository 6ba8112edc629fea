export interface Row {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly limit: string | null;
}

/** Prints a row of a benchmark, as one object with `--json`. */
export function print({ name, value, unit, limit }: Row): void {
  const rounded = Number(value.toFixed(3));
  const line = `${name}  ${rounded}  ${unit}${limit === null ? "" : `  (${limit})`}`;
  console.log(process.argv.includes("--json") ? JSON.stringify({ name, value: rounded, unit, limit }) : line);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
