import type { Inspect } from "widget/embed";

/** A message between page and frame, or one that was refused, as the inspector shows it. */
export interface LoggedMessage {
  readonly id: number;
  readonly at: Date;
  readonly direction: "sent" | "received" | "refused";
  /** The message's type; of a refused one, why. */
  readonly name: string;
  /** JSON, without what must not be looked at over a shoulder. */
  readonly payload: string;
}

const KEPT_MAX = 300;

type Inspected = Parameters<Inspect>[1];

/** A token opens the checkout for whoever has it: the inspector shows that there was one, and not which. */
function withoutToken(name: string, value: unknown): unknown {
  return name === "widget_token" && typeof value === "string" ? "•••" : value;
}

function describe(what: Inspected): Pick<LoggedMessage, "name" | "payload"> {
  if (typeof what === "string") return { name: what, payload: "" };
  const payload = JSON.stringify(what.payload, withoutToken);
  return { name: what.type, payload: payload === "{}" ? "" : payload };
}

/** The log with one message more; the oldest give way. */
export function logMessage(
  log: readonly LoggedMessage[],
  direction: LoggedMessage["direction"],
  what: Inspected,
  at: Date,
): readonly LoggedMessage[] {
  const id = (log.at(-1)?.id ?? 0) + 1;
  return [...log, { id, at, direction, ...describe(what) }].slice(-KEPT_MAX);
}
