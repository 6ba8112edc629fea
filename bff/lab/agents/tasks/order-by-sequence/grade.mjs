import assert from "node:assert/strict";

export function grade({ latestStatuses }) {
  const event = (reference, sequence, status) => ({ event_id: `${reference}${sequence}`, reference, sequence, status });
  const events = [
    event("a", 2, "partially_refunded"),
    event("b", 1, "paid"),
    event("a", 10, "refunded"),
    event("a", 1, "paid"),
    event("a", 2, "partially_refunded"),
  ];
  assert.deepEqual({ ...latestStatuses(events) }, { a: "refunded", b: "paid" });
  assert.deepEqual({ ...latestStatuses([]) }, {});
}
