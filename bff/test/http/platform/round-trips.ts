/** Round trips to the database by the call that makes them. */
export type RoundTrips = Readonly<Record<string, number>>;

/** The maximum number of round trips of each call, BEGIN and COMMIT included. */
export const ROUND_TRIPS_MAX: RoundTrips = {
  "POST /orders": 2,
  "POST /api/spot/widget": 2,
  "GET / (the page)": 1,
  "GET /api/spot/widget/:widget_token": 1,
  "POST /api/spot/user": 6,
  "POST /orders/:hash/validate_customer_identity": 8,
  "POST /orders/:hash/add_payment_method": 5,
  "POST /orders/:hash/payment": 15,
  // Creates the address of the payment page in advance.
  "GET /orders/:hash": 5,
  "GET /orders": 4,
  "GET /api/spot/widget/:widget_token, token used": 1,
};

/** The limit for all calls from the order to its payment. */
export const CHECKOUT_MAX = 40;
/** The worker's round trips for an order in the minute after its payment. */
export const MINUTE_MAX = 80;

/** The text of `docs/reference/round-trips.md`. */
export function roundTripsDocument(calls: RoundTrips, checkout: number, minute: number): string {
  const rows = Object.entries(calls).map(([route, trips]) => `| \`${route}\` | ${trips} |`);
  return `${HEAD}${rows.join("\n")}
| **a checkout: the first eight** | **${checkout}** (at most ${CHECKOUT_MAX}) |
| the worker, in the minute after the payment | ${minute} (at most ${MINUTE_MAX}) |
`;
}

const HEAD = `# Round trips

Statements that reach the database, BEGIN and COMMIT included. \`test/http/platform/round-trips.test.ts\` counts them and
writes this page: \`pnpm exec vitest run --config vitest.http.config.ts test/http/platform/round-trips.test.ts -u\`. The
most that each call may send is in \`round-trips.ts\` next to it.

| Call | Round trips |
|---|---|
`;
