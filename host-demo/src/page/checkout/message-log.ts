import type { Inspect } from "widget/embed";

/** A message between page and frame, or a refused message, as the inspector shows it. */
export interface LoggedMessage {
  readonly id: number;
  readonly at: Date;
  readonly direction: "sent" | "received" | "refused";
  /** The message's type; for a refused message the reason. */
  readonly name: string;
  /** JSON, without secrets that others might read on the screen. */
  readonly payload: string;
}

const KEPT_MAX = 300;

type Inspected = Parameters<Inspect>[1];

/** A token opens the checkout for anyone who has it, so the inspector only shows that there was one. */
function withoutToken(name: string, value: unknown): unknown {
  return name === "widget_token" && typeof value === "string" ? "•••" : value;
}

function describe(what: Inspected): Pick<LoggedMessage, "name" | "payload"> {
  if (typeof what === "string") return { name: what, payload: "" };
  const payload = JSON.stringify(what.payload, withoutToken);
  return { name: what.type, payload: payload === "{}" ? "" : payload };
}

/** The log with one more message; the oldest messages are dropped. */
export function logMessage(
  log: readonly LoggedMessage[],
  direction: LoggedMessage["direction"],
  what: Inspected,
  at: Date,
): readonly LoggedMessage[] {
  const id = (log.at(-1)?.id ?? 0) + 1;
  return [...log, { id, at, direction, ...describe(what) }].slice(-KEPT_MAX);
}
