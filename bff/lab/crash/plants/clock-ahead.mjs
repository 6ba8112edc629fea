/**
 * A planted fault, never part of the product: the clock of this process is five minutes ahead. Loaded before the
 * program.
 */
const AHEAD_MS = 5 * 60_000;

const RealDate = Date;
const now = () => RealDate.now() + AHEAD_MS;

globalThis.Date = new Proxy(RealDate, {
  apply: () => new RealDate(now()).toString(),
  construct: (target, given, newTarget) => Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget),
  get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
});
