/**
 * Writes one line of JSON for each event. Of an error it writes only the kind and code, since messages may contain
 * personal data.
 */
export type Log = (event: string, fields: Readonly<Record<string, unknown>>) => void;

function describe(value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  return { name: value.name, ...("code" in value ? { code: value.code } : {}) };
}

export function createLog(write: (line: string) => void, now: () => Date): Log {
  return (event, fields) => {
    const described = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, describe(value)]));
    write(`${JSON.stringify({ time: now().toISOString(), service: "clinic", event, ...described })}\n`);
  };
}
