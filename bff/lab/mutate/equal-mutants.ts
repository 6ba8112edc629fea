import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findMutants, type Mutant } from "./find-mutants.ts";

interface EqualMutant extends Pick<Mutant, "file" | "lineText" | "change"> {
  readonly package: "bff" | "widget";
  /** Where the same line stands in other functions too, of which it is not so: those of which it is. */
  readonly inFunctions?: readonly string[];
  /** Why nobody could see it. */
  readonly why: string;
}

/**
 * Several of a store that are equal for one reason: lines, with what is changed in them, and in which functions if not
 * in all.
 */
function inStore(
  file: string,
  why: string,
  places: readonly (readonly [lineText: string, change: string, ...inFunctions: string[]])[],
): EqualMutant[] {
  return places.map(([lineText, change, ...inFunctions]) => ({
    package: "bff",
    file,
    lineText,
    change,
    why,
    ...(inFunctions.length > 0 && { inFunctions }),
  }));
}

/** The start of what is filled in. */
const $ = "$";
const IDS_OF_ORDER = "The ids of what an order has are made of its own: the order only finds it sooner.";

/** Mutants that change nothing that anybody could see, by the line in which they stand. They are not tried. */
const EQUAL_MUTANTS: readonly EqualMutant[] = [
  ...inStore("src/orders/refunds/refund-store.ts", IDS_OF_ORDER, [
    ['.where("provider_id", "=", key.providerId)', '.where("order_id", "=", key.orderId) → (nothing)'],
    [
      `where provider_id = ${$}{key.providerId} and order_id = ${$}{key.orderId} and id = ${$}{claim.paymentId}`,
      `order_id = ${$}{key.orderId} → true`,
    ],
    [
      `where m.provider_id = ${$}{key.providerId} and m.order_id = ${$}{key.orderId} and m.refund_id = held.id and m.id = ${$}{movement.id}`,
      `m.order_id = ${$}{key.orderId} → true`,
    ],
    [
      `where m.provider_id = ${$}{key.providerId} and m.order_id = ${$}{key.orderId} and m.refund_id = held.id and m.id = ${$}{movement.id}`,
      "m.refund_id = held.id → true",
    ],
    [
      `where p.provider_id = ${$}{key.providerId} and p.order_id = ${$}{key.orderId} and p.id = moved.payment_id`,
      `p.order_id = ${$}{key.orderId} → true`,
    ],
    [
      `where provider_id = ${$}{key.providerId} and order_id = ${$}{key.orderId} and refund_id = ${$}{key.refundId} and status = 'pending'`,
      `order_id = ${$}{key.orderId} → true`,
    ],
    [
      `where provider_id = ${$}{key.providerId} and order_id = ${$}{key.orderId} and id = ${$}{movementId}`,
      `order_id = ${$}{key.orderId} → true`,
    ],
    [
      `return sql\`provider_id = ${$}{key.providerId} and order_id = ${$}{key.orderId} and id = ${$}{key.refundId}\`;`,
      `order_id = ${$}{key.orderId} → true`,
    ],
  ]),
  ...inStore("src/orders/refunds/refund-store.ts", "A refund that has ended is held by nobody.", [
    [
      `where ${$}{isRefund(key)} and lease_id = ${$}{lease.id} and status = 'processing'`,
      "status = 'processing' → true",
    ],
    [
      `where ${$}{isRefund(key)} and lease_id = ${$}{leaseId} and status = 'processing'`,
      "status = 'processing' → true",
    ],
    [
      `where ${$}{isRefund(key)} and lease_id = ${$}{ended.leaseId} and status = 'processing'`,
      "status = 'processing' → true",
    ],
  ]),
  ...inStore(
    "src/orders/refunds/refund-store.ts",
    "Who holds the refund has read since then which movement is pending.",
    [["and m.status = 'pending'", "m.status = 'pending' → true"]],
  ),
  ...inStore("src/orders/refunds/refund-store.ts", "It is asked of a refund that waits, while its order is locked.", [
    [`where ${$}{isRefund(key)} and status = 'processing' and not allocated`, "status = 'processing' → true"],
    [`where ${$}{isRefund(key)} and status = 'processing' and not allocated`, "not allocated → true"],
  ]),
  ...inStore("src/orders/payments/payment-store.ts", IDS_OF_ORDER, [
    [
      `where a.provider_id = ${$}{key.providerId} and a.order_id = ${$}{key.orderId} and a.id = ${$}{key.attemptId}`,
      `a.order_id = ${$}{key.orderId} → true`,
    ],
    ["and p.provider_id = a.provider_id and p.order_id = a.order_id and p.id = a.id", "p.order_id = a.order_id → true"],
    [
      `where provider_id = ${$}{key.providerId} and order_id = ${$}{key.orderId} and id = ${$}{key.attemptId} and ended_at is null`,
      `order_id = ${$}{key.orderId} → true`,
    ],
    [
      "from step where p.provider_id = step.provider_id and p.order_id = step.order_id and p.id = step.id`;",
      "p.order_id = step.order_id → true",
    ],
    [
      `return sql\`provider_id = ${$}{attempt.providerId} and order_id = ${$}{attempt.orderId} and id = ${$}{attempt.id}`,
      `order_id = ${$}{attempt.orderId} → true`,
    ],
    [
      "join order_payments as p on p.provider_id = a.provider_id and p.order_id = a.order_id and p.id = a.id`;",
      "p.order_id = a.order_id → true",
    ],
  ]),
  ...inStore("src/orders/payments/payment-store.ts", "The order was found for its provider before.", [
    [
      `where provider_id = ${$}{key.providerId} and id = ${$}{key.orderId} and state = 'awaiting_payment'`,
      `provider_id = ${$}{key.providerId} → true`,
    ],
  ]),
  ...inStore("src/orders/payments/payment-store.ts", "Only the first row is read of what comes.", [
    ["limit 1", "limit 1 → (nothing)"],
  ]),
  ...inStore("src/orders/payments/payment-store.ts", "What is undefined is written as JSON by nothing, and is null.", [
    [
      `ending = coalesce(${$}{step.ending === undefined ? null : JSON.stringify(step.ending)}::jsonb, a.ending),`,
      "step.ending === undefined ? null : JSON.stringify(step.ending) → JSON.stringify(step.ending)",
    ],
  ]),
  ...inStore("src/orders/payments/deferred-charge-store.ts", IDS_OF_ORDER, [
    ['.where("provider_id", "=", key.providerId)', '.where("order_id", "=", key.orderId) → (nothing)'],
  ]),
  ...inStore("src/collection/collection-store.ts", IDS_OF_ORDER, [
    [
      '.where("provider_id", "=", key.providerId)',
      '.where("order_id", "=", key.orderId) → (nothing)',
      ...["settleAttempt", "writeCallRepeated", "countInquiry"],
    ],
  ]),
  ...inStore(
    "src/collection/collection-store.ts",
    "What is undefined is left out, and the limit is null from the beginning.",
    [
      [
        '...(ended.state === "declined"',
        'ended.state === "declined" ? { decline_reason: ended.reason, decline_limit: ended.limit... → { decline_reason: ended.reason, decline_limit: ended.limit ?? null, hard: ended.hard }',
      ],
    ],
  ),
  ...inStore("src/collection/authentication/authentication-store.ts", IDS_OF_ORDER, [
    [
      '.where("provider_id", "=", key.providerId)',
      '.where("order_id", "=", key.orderId) → (nothing)',
      ...["writeAuthentication", "countAuthenticationInquiry"],
    ],
    ['.where("provider_id", "=", providerId)', '.where("order_id", "=", orderId) → (nothing)', "authenticationById"],
  ]),
  ...inStore(
    "src/webhooks/delivery-claim-store.ts",
    "A statement changes a row once, and those that are not given up are taken first.",
    [["where d.id = any(array(select id from picked where is_over)) and p.id = d.provider_id", "is_over → true"]],
  ),
  ...inStore("src/webhooks/delivery-queue-store.ts", "Rounds are only told apart.", [["round: 1,", "1 → (1 + 1)"]]),
  ...inStore(
    "src/webhooks/delivery-purge-store.ts",
    "It only goes, for each endpoint, through what the others' turns delete.",
    [
      [
        `where endpoint_id = ${$}{endpointId}::uuid and created_at < ${$}{before}`,
        `endpoint_id = ${$}{endpointId}::uuid → true`,
      ],
    ],
  ),
  ...inStore("src/webhooks/endpoint-store.ts", "What is undefined is left out.", [
    [
      "...(change.notifyEmail === undefined ? {} : { notify_email: change.notifyEmail }),",
      "change.notifyEmail === undefined ? {} : { notify_email: change.notifyEmail } → { notify_email: change.notifyEmail }",
    ],
    [
      "...(change.pausedAt === undefined ? {} : { paused_at: change.pausedAt }),",
      "change.pausedAt === undefined ? {} : { paused_at: change.pausedAt } → { paused_at: change.pausedAt }",
    ],
    [
      "...(change.deletedAt === undefined ? {} : { deleted_at: change.deletedAt }),",
      "change.deletedAt === undefined ? {} : { deleted_at: change.deletedAt } → { deleted_at: change.deletedAt }",
    ],
  ]),
  ...inStore("src/webhooks/endpoint-store.ts", "It only locks more.", [
    [
      'await tx.selectFrom("providers").select("id").where("id", "=", providerId).forUpdate().execute();',
      '.where("id", "=", providerId) → (nothing)',
    ],
    [
      'await tx.selectFrom("webhook_endpoints").select("id").where("id", "=", endpointId).forUpdate().execute();',
      '.where("id", "=", endpointId) → (nothing)',
    ],
  ]),
  ...inStore("src/collection/collection-store.ts", "A collection that another row refers to is there.", [
    ["if (collection === null)", "collection === null → false"],
  ]),
  ...inStore("src/collection/collection-store.ts", "Only the first row is read of what comes.", [
    ["and a.card_id = c.card ->> 'id' order by a.number desc limit 1) u on true", "limit 1 → (nothing)"],
  ]),
  ...inStore(
    "src/collection/collection-store.ts",
    "A card is used in the transaction that stores its proof: only one that a version without proofs took has an older card's beside it.",
    [
      [
        "and a.card_id = c.card ->> 'id' order by a.number desc limit 1) u on true",
        "a.card_id = c.card ->> 'id' → true",
      ],
    ],
  ),
  ...inStore("src/collection/collection-store.ts", "A trigger has both, or there is none.", [
    ["trigger: reason === null || at === null ? null : { reason, evidence: evidence ?? {}, at },", "|| → &&"],
  ]),
  ...inStore("src/collection/chargeback-store.ts", "It is only asked whether there is one.", [
    ['.where("released_at", "is", null)', ".limit(1) → (nothing)"],
    [".limit(1)", "1 → (1 + 1)"],
  ]),
  ...inStore("src/orders/order-store.ts", "The order was found for its provider before.", [
    [
      `where provider_id = ${$}{key.providerId} and id = ${$}{key.orderId} and state = ${$}{move.from}`,
      `provider_id = ${$}{key.providerId} → true`,
    ],
    [
      `where provider_id = ${$}{key.providerId} and id = ${$}{key.orderId}`,
      `provider_id = ${$}{key.providerId} → true`,
    ],
    [
      `where provider_id = ${$}{key.providerId} and id = ${$}{key.orderId} and state = 'awaiting_payment' for update`,
      `provider_id = ${$}{key.providerId} → true`,
    ],
    [
      `where provider_id = ${$}{key.providerId} and id = ${$}{key.orderId} and state = 'awaiting_payment'`,
      `provider_id = ${$}{key.providerId} → true`,
    ],
    [".set({ ...changes, updated_at: at })", '.where("provider_id", "=", providerId) → (nothing)'],
  ]),
  ...inStore(
    "src/orders/order-store.ts",
    "No two clinics have an order of one id, and the next statement asks for both.",
    [
      [
        `await sql\`select 1 from orders where provider_id = ${$}{key.providerId} and id = ${$}{key.orderId} for update\`.execute(tx);`,
        `provider_id = ${$}{key.providerId} → true`,
        "lockOrder",
      ],
    ],
  ),
  ...inStore("src/orders/operations-store.ts", IDS_OF_ORDER, [
    [
      "from refund_movements where provider_id = r.provider_id and order_id = r.order_id and refund_id = r.id) m",
      "order_id = r.order_id → true",
    ],
    [
      "where m.provider_id = r.provider_id and m.order_id = r.order_id and m.refund_id = r.id",
      "m.order_id = r.order_id → true",
    ],
    [
      "from payment_attempts a join order_payments p on p.provider_id = a.provider_id and p.order_id = a.order_id and p.id = a.id",
      "p.order_id = a.order_id → true",
    ],
  ]),
  ...inStore(
    "src/webhooks/delivery-purge-store.ts",
    "There is one row, which has both or neither: the condition is for the types.",
    [
      [
        "if (row === undefined || row.created_at === null || row.id === null) return { passed: 0, deleted: 0, last: after };",
        "|| → &&",
      ],
    ],
  ),
  ...inStore("src/orders/operations-store.ts", "What was not taken has no moment by which its end is to be told.", [
    [
      "from refund_movements where status = 'pending' and return_taken_at is not null",
      "return_taken_at is not null → true",
    ],
  ]),
  ...inStore("src/collection/charge/settle-charge.ts", "An order has one trigger: the first stays.", [
    ["if (collection.trigger === null)", "collection.trigger === null → true"],
  ]),
  ...inStore(
    "src/checkout/tokens/widget-token-store.ts",
    "More at once are tidied up; the next look finds what is left.",
    [[`limit ${$}{limit}`, `limit ${$}{limit} → (nothing)`]],
  ),
  ...inStore("src/claims/blocked-access.ts", "Of one cause a patient is told once.", [
    ["if (!isTold) await notifyClaim(dependencies, tx, claim, first);", "!isTold → true"],
  ]),
  ...inStore("src/webhooks/work.ts", "The worker ends the timer a moment later; one that runs again finds it done.", [
    ["await finish(tx);", "await finish(tx); → ;"],
  ]),
  ...inStore("src/orders/derived-ids.ts", "The kind stands before it.", [
    [
      `\`${$}{refundId}:${$}{movement.kind}:${$}{movement.paymentId ?? (movement.kind === "loan_reduction" ? "loan" : "otherwise")}\`,`,
      'movement.kind === "loan_reduction" ? "loan" : "otherwise" → "loan"',
    ],
  ]),
  ...inStore(
    "src/collection/change-card-on-page.ts",
    "A registration at the page has its address: a constraint says so.",
    [
      [
        'return registration.page === null ? { outcome: "processing" } : { outcome: "open", page: registration.page };',
        'registration.page === null ? { outcome: "processing" } : { outcome: "open", page: regis... → { outcome: "open", page: registration.page }',
      ],
    ],
  ),
  ...inStore(
    "src/checkout/open-widget-token.ts",
    "What was not found is not read, and a token's provider exists: the condition is for the types.",
    [
      ["if (found === null || found.provider === null) return null;", "|| → &&"],
      [
        "if (found === null || found.provider === null) return null;",
        "found === null || found.provider === null → false",
      ],
    ],
  ),
  ...inStore("src/claims/picture-converter.ts", "One megabyte more.", [
    ["const HEAP_MEGABYTES_MAX = 256;", "256 → (256 + 1)"],
  ]),
  ...inStore(
    "src/orders/operations-store.ts",
    "An attempt that ends counts no inquiries any more. The condition is for the index of those that have not ended.",
    [
      [
        "from payment_attempts where ended_at is null and inquiries > 0 and return_taken_at is null`;",
        "ended_at is null → true",
      ],
    ],
  ),
  ...inStore(
    "src/orders/move-order.ts",
    "An order that was not paid before has no collection: it only spares the search.",
    [
      [
        "const collection = wasPaid(transition.from) ? await related.collectionOf(tx, order) : null;",
        "wasPaid(transition.from) ? await related.collectionOf(tx, order) : null → await related.collectionOf(tx, order)",
      ],
    ],
  ),
  ...inStore(
    "src/orders/legal-text-store.ts",
    "One text of each kind comes, and is shown in the order that the kinds have.",
    [
      ["order by kind, set_at desc, version", "(nothing) → desc"],
      [`order by t.kind, t.locale = ${$}{locale} desc`, "(nothing) → desc"],
    ],
  ),
  ...inStore("src/orders/identity-store.ts", "A deletion says how many rows it deleted: it is for the types.", [
    ["return Number(numAffectedRows ?? 0);", "0 → (0 + 1)"],
  ]),
  ...inStore("src/orders/order-store.ts", "A sort reads the sign alone, and what is the same was asked before.", [
    ["const compare = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);", "1 → (1 + 1)"],
    ["const compare = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);", "< → <="],
  ]),
  ...inStore("src/orders/order-store.ts", "The same statement asks it twice, of the row that it locks.", [
    [
      `where provider_id = ${$}{key.providerId} and id = ${$}{key.orderId} and state = 'awaiting_payment' for update`,
      "state = 'awaiting_payment' → true",
    ],
    [
      `where provider_id = ${$}{key.providerId} and id = ${$}{key.orderId} and state = 'awaiting_payment'`,
      "state = 'awaiting_payment' → true",
    ],
  ]),
  ...inStore("src/orders/order-store.ts", "No order has no id; it only spares the search.", [
    [
      `return id === null ? NO_COLUMN : orderColumn({ providerId: caller.providerId, id: sql\`${$}{id}::uuid\` });`,
      `id === null ? NO_COLUMN : orderColumn({ providerId: caller.providerId, id: sql\`${$}{id}::u... → orderColumn({ providerId: caller.providerId, id: sql\`${$}{id}::uuid\` })`,
    ],
  ]),
  ...inStore("src/orders/saved-cards/saved-card-store.ts", "A card's use is of one order, under an id of its own.", [
    [
      `where u.saved_card_id = any(${$}{[...ids]}::uuid[]) and o.provider_id = u.provider_id and o.id = u.order_id`,
      "o.id = u.order_id → true",
    ],
  ]),
  ...inStore(
    "src/orders/saved-cards/saved-card-store.ts",
    "An order that is not paid has no card but one that is asked for.",
    [
      ['.where("order_id", "=", orderId)', '.where("state", "=", "asked") → (nothing)', "deleteAsked"],
      ['.where("order_id", "=", orderId)', '.where("state", "=", "asked") → (nothing)', "writeSaving"],
    ],
  ),
  ...inStore("src/orders/saved-cards/saved-card-store.ts", "The order was found for its provider before.", [
    [
      `where provider_id = ${$}{providerId} and id = ${$}{orderId} and state = 'awaiting_payment'`,
      `provider_id = ${$}{providerId} → true`,
    ],
    [".set({ card: null, card_removed: false, updated_at: at })", '.where("provider_id", "=", providerId) → (nothing)'],
  ]),
  ...inStore("src/orders/saved-cards/saved-card-store.ts", "Who asks it holds the order, and has seen that it waits.", [
    [
      `where provider_id = ${$}{providerId} and id = ${$}{orderId} and state = 'awaiting_payment'`,
      "state = 'awaiting_payment' → true",
    ],
  ]),
  ...inStore(
    "src/orders/saved-cards/saved-card-store.ts",
    "No payment is declined but one that is under way: the next statement asks it, and ends the transaction otherwise.",
    [['.where("id", "=", orderId)', '.where("state", "=", "paying") → (nothing)', "takeRemovedCardOff"]],
  ),
  ...inStore(
    "src/orders/saved-cards/saved-card-store.ts",
    "Of the uses those are told that are of the patient's cards.",
    [
      [
        '.select(["use.saved_card_id", "use.provider_id", "use.order_id", "use.used_at"])',
        '.where("card.beneficiary_id", "=", beneficiaryId) → (nothing)',
      ],
    ],
  ),
  ...inStore(
    "src/orders/work.ts",
    "Such an event has its order, a paid order its card, and a saved card its patient: the condition is for the types.",
    [
      ["if (order?.card == null) return;", "order?.card == null → false"],
      ["if (order !== null) await deleteAsked(tx, order);", "order !== null → true"],
      [
        "return orderId === null || !isOrderId(orderId) ? null : readOrder(tx, { providerId, orderId });",
        "orderId === null || !isOrderId(orderId) ? null : readOrder(tx, { providerId, orderId }) → readOrder(tx, { providerId, orderId })",
      ],
      ["return orderId === null || !isOrderId(orderId) ? null : readOrder(tx, { providerId, orderId });", "|| → &&"],
      ["if (provider === null || patient === null) return;", "provider === null || patient === null → false"],
      ["if (provider === null || patient === null) return;", "|| → &&"],
    ],
  ),
  ...["src/orders/saved-cards/saved-card-store.ts", "src/orders/card-removal-store.ts"].flatMap((store) =>
    inStore(store, "What is gone is not asked about again.", [["return row?.before ?? 0;", "0 → (0 + 1)"]]),
  ),
  ...inStore("src/orders/card-removal-store.ts", IDS_OF_ORDER, [
    ['.where("provider_id", "=", key.providerId)', '.where("order_id", "=", key.orderId) → (nothing)'],
    ['.where("provider_id", "=", providerId)', '.where("order_id", "=", orderId) → (nothing)'],
  ]),
  ...inStore(
    "src/orders/identity-store.ts",
    "Two processes that tidy up at once only wait for each other, and the next look finds what is left.",
    [
      "(nothing) → desc",
      `limit ${$}{limit} → (nothing)`,
      "for update skip locked → (nothing)",
      "skip locked → (nothing)",
    ].map((change) => [
      `select id from identity_checks where asked_at < ${$}{before} order by asked_at limit ${$}{limit} for update skip locked`,
      change,
    ]),
  ),
  ...inStore("src/orders/identity-store.ts", "The order was found for its provider before.", [
    [
      `where provider_id = ${$}{key.providerId} and id = ${$}{key.orderId}`,
      `provider_id = ${$}{key.providerId} → true`,
    ],
    [
      `where provider_id = ${$}{key.providerId} and id = ${$}{key.orderId} and identity_validated_at is null`,
      `provider_id = ${$}{key.providerId} → true`,
    ],
    [
      ".set({ identity_validated_at: null, identity_recognised: false, updated_at: at })",
      '.where("provider_id", "=", key.providerId) → (nothing)',
    ],
  ]),
  ...inStore(
    "src/orders/expire-order.ts",
    "The worker ends the timer a moment later; one that runs again finds it done.",
    [["await context.finish(tx, outcome);", "await context.finish(tx, outcome); → ;"]],
  ),
  ...inStore(
    "src/orders/order-search-store.ts",
    "Every order has one of both environments, which serves the index, and nothing is equal to no id and no RUT.",
    [
      [
        `sql\`select * from orders where ${$}{ofProviders} and environment in ('staging', 'production') and reference = ${$}{reference}\`,`,
        "environment in ('staging', 'production') → true",
      ],
      [
        `if (orderId !== null) ways.push(sql\`select * from orders where ${$}{ofProviders} and id = ${$}{orderId}::uuid\`);`,
        "orderId !== null → true",
      ],
      [
        `if (rut !== null) ways.push(sql\`select * from orders where ${$}{ofProviders} and customer_rut = ${$}{rut}\`);`,
        "rut !== null → true",
      ],
    ],
  ),
  ...inStore("src/orders/order-search-store.ts", "Of what comes those are read that were asked for, each by its id.", [
    [
      `select id, reference from orders where provider_id = ${$}{providerId} and id = any(${$}{orderIds}::uuid[])`,
      `provider_id = ${$}{providerId} → true`,
    ],
  ]),
  ...inStore("src/orders/order-store.ts", "More orders share a statement, and a statement's text is made again.", [
    ["export const INSERTED_AT_ONCE_MAX = 16;", "16 → (16 + 1)"],
    [
      "insertTexts.set(db, texts.set(insertions.length, text));",
      "insertTexts.set(db, texts.set(insertions.length, text)); → ;",
    ],
  ]),
  ...inStore(
    "src/orders/operations-store.ts",
    "The order was found for its provider before, and no two clinics have an order of one id.",
    [
      [
        `const ofOrder = sql\`provider_id = ${$}{providerId}::uuid and order_id = ${$}{orderId}::uuid\`;`,
        `provider_id = ${$}{providerId}::uuid → true`,
      ],
      [
        `from orders where provider_id = ${$}{providerId}::uuid and id = ${$}{orderId}::uuid\`,`,
        `provider_id = ${$}{providerId}::uuid → true`,
      ],
      [
        `from orders where provider_id = ${$}{providerId}::uuid and id = ${$}{orderId}::uuid`,
        `provider_id = ${$}{providerId}::uuid → true`,
      ],
      [
        `where a.provider_id = ${$}{providerId}::uuid and a.order_id = ${$}{orderId}::uuid and moment.at is not null\`,`,
        `a.provider_id = ${$}{providerId}::uuid → true`,
      ],
    ],
  ),
  ...inStore("src/orders/operations-store.ts", IDS_OF_ORDER, [
    [
      "join order_payments p on p.provider_id = a.provider_id and p.order_id = a.order_id and p.id = a.id",
      "p.order_id = a.order_id → true",
    ],
    [
      "and t.order_id = p.order_id and t.cause in ('capture:' || p.id, 'collection:' || p.id)), p.updated_at),",
      "t.order_id = p.order_id → true",
    ],
  ]),
  ...inStore(
    "src/orders/saved-cards/settle-saved-card.ts",
    "Of a card that is gone there is no call, and a card's patient is there: the condition is for the types.",
    [
      ['if (attempt === null) return "done";', "attempt === null → false"],
      ["if (card === null) return null;", "card === null → false"],
      [
        "letGo: async (card) => (card === null ? 0 : countInquiry(db, card.id)),",
        "card === null ? 0 : countInquiry(db, card.id) → countInquiry(db, card.id)",
      ],
      ["letGo: async (card) => (card === null ? 0 : countInquiry(db, card.id)),", "0 → (0 + 1)"],
      ["if (patient !== null)", "patient !== null → true"],
    ],
  ),
  ...inStore("src/orders/order-store.ts", "A document has all three or none: a constraint says so.", [
    [
      "const issued = number === null || issuedAt === null || url === null ? null : { number, url, at: new Date(issuedAt) };",
      "|| → &&",
    ],
  ]),
  ...inStore("src/orders/operations.ts", "What is owed is an amount: the condition is for the types.", [
    [
      'if (typeof facts.amount !== "number") throw new ResolutionRefused("It names no amount.");',
      'typeof facts.amount !== "number" → false',
    ],
  ]),
  ...inStore("src/orders/saved-cards.ts", "What is shown is written once more as it is.", [
    [
      "if (Object.entries(shown).some(([name, value]) => card[name as keyof typeof shown] !== value))",
      "Object.entries(shown).some(([name, value]) => card[name as keyof typeof shown] !== value) → true",
    ],
  ]),
  ...inStore("src/orders/order-store.ts", "A provider's orders are of its own environment.", [
    ['.where("provider_id", "=", order.providerId)', '.where("environment", "=", environment) → (nothing)'],
  ]),
  ...inStore("src/orders/operations-store.ts", "An attempt that failed has ended, with its reasons.", [
    ["creditRefusal: at === null || reasons === null ? null : { reasons, at },", "|| → &&"],
  ]),
  ...inStore("src/orders/create-order.ts", "More statements run at once.", [
    ["const STATEMENTS_UNDER_WAY_MAX = 2;", "2 → (2 + 1)"],
  ]),
  ...inStore("src/orders/create-order.ts", "Neither is stored with a new order, nor shown.", [
    ["identityRecognised: false,", "false → true"],
    ["eventSequence: 0,", "0 → (0 + 1)"],
  ]),
  ...inStore(
    "src/claims/pictures/picture-to-jpeg.ts",
    "One point more, a picture that looks the same, and memory of a process that ends.",
    [
      ["const PIXELS_MAX = 50_000_000;", "50_000_000 → (50_000_000 + 1)"],
      ["const JPEG_QUALITY = 85;", "85 → (85 + 1)"],
      ["images.dispose();", "images.dispose(); → ;"],
    ],
  ),
  ...inStore("src/claims/picture-converter.ts", "One second more.", [
    ["const TIMEOUT_MS = 20 * SECOND_MS;", "20 → (20 + 1)"],
  ]),
  ...inStore("src/checkout/onboarding/object-to-email-change.ts", "Nobody has no id.", [
    [
      "const patient = beneficiaryId === null ? null : await findAndLockBeneficiaryById(tx, beneficiaryId);",
      "beneficiaryId === null ? null : await findAndLockBeneficiaryById(tx, beneficiaryId) → await findAndLockBeneficiaryById(tx, beneficiaryId)",
    ],
  ]),
  ...inStore("src/webhooks/delivery-queue-store.ts", "An event that was told has no timer any more.", [
    [
      `join timers on timers.kind = ${$}{dispatchKind} and timers.key = events.id::text and timers.done_at is null`,
      "timers.done_at is null → true",
    ],
  ]),
  ...inStore("src/checkout/tokens/widget-token-store.ts", "It is only asked whether there is one.", [
    ['.where("beneficiary_id", "=", beneficiaryId)', ".limit(1) → (nothing)"],
    [".limit(1)", "1 → (1 + 1)"],
  ]),
  ...[
    { file: "src/platform/http/idempotency-store.ts", table: "idempotency_keys", column: "expires_at" },
    { file: "src/platform/http/rate-limit-store.ts", table: "rate_limits", column: "window_ends_at" },
    { file: "src/platform/timers/timer-store.ts", table: "timers", column: "done_at" },
  ].flatMap(({ file, table, column }) => {
    const line = `delete from ${table} where ${column} < ${$}{before} and ctid = any(array(`;
    return inStore(file, "The rows that are named were asked the same.", [
      [line, `${column} < ${$}{before} → true`],
      [line, "< → <="],
    ]);
  }),
  ...inStore("src/checkout/tokens/widget-token-store.ts", "The rows that are named were asked the same.", [
    [`where expires_at < ${$}{expiredBefore} and ctid = any(array(`, `expires_at < ${$}{expiredBefore} → true`],
    [`where expires_at < ${$}{expiredBefore} and ctid = any(array(`, "< → <="],
  ]),
  ...inStore(
    "src/checkout/tokens/widget-token-store.ts",
    "Two processes that tidy up at once only wait for each other.",
    [
      ["for update skip locked", "for update skip locked → (nothing)"],
      ["for update skip locked", "skip locked → (nothing)"],
    ],
  ),
  ...inStore("src/platform/http/idempotency-store.ts", "All that are over go, whichever of them goes first.", [
    [
      `select ctid from idempotency_keys where expires_at < ${$}{before} order by expires_at limit ${$}{limit} for update skip locked`,
      "(nothing) → desc",
    ],
  ]),
  ...inStore("src/platform/timers/timer-worker.ts", "It waits for a millisecond more.", [
    ["const stopDeadlineMs = 10_000;", "10_000 → (10_000 + 1)"],
  ]),
  ...inStore("src/platform/http/idempotency-store.ts", "No other slot has its lease: the key only finds it sooner.", [
    ['.where("provider_id", "=", providerId)', '.where("method", "=", slot.method) → (nothing)'],
    ['.where("method", "=", slot.method)', '.where("path", "=", slot.path) → (nothing)'],
    ['.where("path", "=", slot.path)', '.where("key", "=", slot.keyHashes[0]) → (nothing)'],
  ]),
  ...inStore("src/platform/http/idempotency.ts", "A slot has both or neither: a constraint says so.", [
    ['if (status === null || sealed === null) throw new ApiError("idempotency_in_flight");', "|| → &&"],
  ]),
  ...inStore(
    "src/platform/http/idempotency.ts",
    "A refusal has a body, and a code in it: the condition is for the types.",
    [
      [
        'const code = typeof body === "object" && body !== null && "code" in body ? body.code : undefined;',
        'typeof body === "object" && body !== null && "code" in body ? body.code : undefined → body.code',
      ],
      ['const code = typeof body === "object" && body !== null && "code" in body ? body.code : undefined;', "&& → ||"],
    ],
  ),
  ...inStore("src/platform/timers/timer-worker.ts", "So many failures are long past the longest delay.", [
    ["return Math.min(firstRetryMs * 2 ** Math.min(attempts - 1, 20), retryMaxMs);", "20 → (20 + 1)"],
  ]),
  ...inStore("src/platform/timers/timer-worker.ts", "Who asks whether another look is wanted has just wanted one.", [
    ["#isLookWanted = false;", "false → true"],
  ]),
  ...inStore("src/platform/timers/timer-store.ts", "Each kind has a limit of its own, of which this is the sum.", [
    ["[...wanted.values()].reduce((sum, free) => sum + free, 0),", "0 → (0 + 1)"],
  ]),
  ...inStore("src/platform/timers/timer-store.ts", "What is undefined is left out.", [
    [
      "const payload = to.payload === undefined ? {} : { payload: JSON.stringify(to.payload) };",
      "to.payload === undefined ? {} : { payload: JSON.stringify(to.payload) } → { payload: JSON.stringify(to.payload) }",
    ],
  ]),
  ...inStore("src/platform/timers/timer-store.ts", "All that are old go, whichever of them goes first.", [
    [
      `const ofKinds = kinds === "all" ? sql\`order by done_at\` : sql\`and kind = any(${$}{kinds}::text[]) order by kind, key\`;`,
      "(nothing) → desc",
    ],
  ]),
  ...inStore(
    "src/platform/timers/timer-store.ts",
    "Nothing else locks a timer that is done, and two processes that tidy up at once only wait for each other.",
    [
      [
        `select ctid from timers where done_at < ${$}{before} ${$}{ofKinds} limit ${$}{limit} for update skip locked`,
        "for update skip locked → (nothing)",
      ],
      [
        `select ctid from timers where done_at < ${$}{before} ${$}{ofKinds} limit ${$}{limit} for update skip locked`,
        "skip locked → (nothing)",
      ],
    ],
  ),
  ...inStore("src/webhooks/delivery-worker.ts", "What cannot be signed fails a line later, and is caught there too.", [
    ['if (secrets === null) throw new Error("An endpoint has no secret to sign with.");', "secrets === null → false"],
  ]),
  ...inStore("src/claims/remind-unfiled.ts", "What names it is written with the order.", [
    ["if (order === null) return;", "order === null → false", "notifyOfLack"],
  ]),
  ...inStore(
    "src/claims/operations-store.ts",
    "Of what is not unread there is no total. The condition is for the index, and for PostgreSQL to estimate.",
    [
      [
        "from expenses where order_id is not null and unread_fields <> '{}'::jsonb and unread_fields->>'total' is not null`;",
        "unread_fields <> '{}'::jsonb → true",
      ],
    ],
  ),
  ...inStore(
    "src/claims/notify-claim.ts",
    "Who was erased has withdrawn, which is asked before, under the patient's lock.",
    [
      [
        "if (patient === null || isPseudonym(patient)) return;",
        "patient === null || isPseudonym(patient) → false",
        "notifyClaim",
      ],
      ["if (patient === null || isPseudonym(patient)) return;", "|| → &&", "notifyClaim"],
    ],
  ),
  ...inStore("src/claims/notify-claim.ts", "A claim has its patient and its order: the condition is for the types.", [
    ["if (patient === null || order === null) return false;", "patient === null || order === null → false"],
    ["if (patient === null || order === null) return false;", "|| → &&"],
    ["if (patient === null || order === null) return false;", "false → true"],
  ]),
  ...inStore("src/claims/remind-unfiled.ts", "An order that was paid has the moment: the condition is for the types.", [
    ["if (order?.paidAt == null) return;", "order?.paidAt == null → false"],
    ["if (paidAt === null) return { today: null, next: null };", "paidAt === null → false"],
  ]),
  ...inStore(
    "src/claims/remind-unfiled.ts",
    "The worker ends the timer a moment later; one that runs again finds the patient told.",
    [["await finish(tx, outcome);", "await finish(tx, outcome); → ;"]],
  ),
  ...inStore("src/claims/mandate.ts", "Who asks has a claim that takes it.", [
    ["if (state === null) return;", "state === null → false"],
  ]),
  ...inStore("src/claims/work.ts", "Who was proven is there: the condition is for the types.", [
    [
      "const orders = patient === null ? [] : await patientOrders(tx, patient);",
      "patient === null ? [] : await patientOrders(tx, patient) → await patientOrders(tx, patient)",
    ],
  ]),
  ...inStore("src/claims/poll-claim.ts", "What is undefined is left out.", [
    [
      'const reimbursed = answer.outcome === "approved" ? { reimbursed: answer.reimbursed } : {};',
      'answer.outcome === "approved" ? { reimbursed: answer.reimbursed } : {} → { reimbursed: answer.reimbursed }',
    ],
  ]),
  ...inStore("src/claims/poll-claim.ts", "A claim has its expense: the condition is for the types.", [
    ["if (expense !== null) await setExpenseStatus(tx, expense, { to, at });", "expense !== null → true"],
  ]),
  ...inStore(
    "src/claims/file-claim.ts",
    "A claim has its order, its expense and its patient, and what is answered was being filed.",
    [
      [
        'if (expense === null || order === null || patient === null) throw new ClaimIncomplete("a claim misses a part");',
        "|| → &&",
      ],
      [
        'if (expense === null || told === null) throw new ClaimIncomplete("a claim was answered that was not being filed");',
        "|| → &&",
      ],
    ],
  ),
  ...inStore(
    "src/claims/file-claim.ts",
    "The worker ends the timer a moment later; one that runs again finds the claim answered.",
    [["await finish(tx);", "await finish(tx); → ;"]],
  ),
  ...inStore("src/claims/expenses/receive-file.ts", "It is only how much is read ahead.", [
    ["await storage.put(name, Readable.from(watched(), { objectMode: false }));", "false → true"],
  ]),
  ...inStore("src/claims/expenses/receive-file.ts", "A type is recognised by far less.", [
    ["let bytes = 0;", "0 → (0 + 1)", "readBeginning"],
    ["while (bytes < TYPE_BYTES) {", "< → <="],
  ]),
  ...inStore("src/claims/remind-unfiled.ts", "What is undefined is written as null.", [
    [
      "...(beneficiaryId === null ? {} : { beneficiaryId }),",
      "beneficiaryId === null ? {} : { beneficiaryId } → { beneficiaryId }",
    ],
  ]),
  ...inStore("src/claims/file-claim.ts", "A millisecond later.", [
    [
      "const retryAfterMs = outdated ? Math.max(0, newerAt.getTime() - at.getTime()) : verdict.retryAfterMs;",
      "0 → (0 + 1)",
    ],
  ]),
  ...inStore("src/claims/expenses/receive-form.ts", "A millisecond later.", [
    ["timeoutMs: 120_000,", "120_000 → (120_000 + 1)"],
  ]),
  ...inStore("src/claims/claim-store.ts", "What is undefined is left out.", [
    [
      "reason: change.reason === undefined ? claim.reason : change.reason,",
      "change.reason === undefined ? claim.reason : change.reason → change.reason",
    ],
    [
      "blocked_since: change.blockedSince === undefined ? claim.blockedSince : change.blockedSince,",
      "change.blockedSince === undefined ? claim.blockedSince : change.blockedSince → change.blockedSince",
    ],
  ]),
  ...inStore(
    "src/claims/claim-store.ts",
    "The same is done in either order. Two transactions that block each other are run again.",
    [['.orderBy("created_at")', '(nothing) → , "desc"', "readOrdersWithoutAccess", "readOrdersOfOpenClaims"]],
  ),
  ...inStore("src/claims/claim-store.ts", "A claim that has ended takes no stop.", [
    [
      '.where("beneficiary_id", "=", beneficiaryId)',
      '.where("state", "in", ["ready", "filing", "held", "access_missing", "access_blocked"]) → (nothing)',
      "readOrdersOfOpenClaims",
    ],
  ]),
  ...inStore("src/claims/claim-store.ts", "How many are read at once nobody sees.", [
    ["const CLAIMS_AT_ONCE_MAX = 1_000;", "1_000 → (1_000 + 1)"],
    ['.orderBy("id")', ".limit(CLAIMS_AT_ONCE_MAX) → (nothing)"],
  ]),
  ...inStore("src/claims/expenses/read-form.ts", "The form has been read: nothing is left to refuse.", [
    ['request.off("close", onClose);', 'request.off("close", onClose); → ;'],
    ['deadline.removeEventListener("abort", cut);', 'deadline.removeEventListener("abort", cut); → ;'],
  ]),
  ...inStore(
    "src/claims/poll-claim.ts",
    "A constraint: a claim that is filed has both. The condition is for the types.",
    [
      [
        'if (insurerClaimId === null || filedAt === null) return "done";',
        "insurerClaimId === null || filedAt === null → false",
      ],
      ['if (insurerClaimId === null || filedAt === null) return "done";', "|| → &&"],
    ],
  ),
  ...inStore("src/claims/poll-claim.ts", "A timer has an object, and what it lacks is no text.", [
    [
      'const at = typeof payload === "object" && payload !== null && "asked_at" in payload ? payload.asked_at : null;',
      'typeof payload === "object" && payload !== null && "asked_at" in payload ? payload.aske... → payload.asked_at',
    ],
    [
      'const at = typeof payload === "object" && payload !== null && "asked_at" in payload ? payload.asked_at : null;',
      "&& → ||",
    ],
  ]),
  ...["src/claims/consider-claim.ts", "src/claims/claim-reads.ts"].flatMap((file) => {
    const from = file.includes("consider") ? "tx" : "db";
    return inStore(file, "Nobody is registered under no RUT: the condition is for the types.", [
      [
        `const patient = rut === null ? null : await findBeneficiary(${from}, { tenant, rut });`,
        `rut === null ? null : await findBeneficiary(${from}, { tenant, rut }) → await findBeneficiary(${from}, { tenant, rut })`,
      ],
    ]);
  }),
  ...inStore("src/claims/operations-store.ts", "No two providers share an expense.", [
    ['.using("expenses")', '.whereRef("expenses.provider_id", "=", "expense_files.provider_id") → (nothing)'],
  ]),
  ...inStore("src/claims/renew-access.ts", "A key is only compared with itself.", [
    [`const idempotencyKey = \`${$}{claim.id}:access:${$}{timer.key.slice(-36)}\`;`, "36 → (36 + 1)"],
  ]),
  ...inStore("src/claims/work.ts", "Of no order nothing is found: the condition is for the types.", [
    [
      "if (orderId !== null && isOrderId(orderId)) await react({ providerId, orderId });",
      "orderId !== null && isOrderId(orderId) → true",
    ],
    ["if (orderId !== null && isOrderId(orderId)) await react({ providerId, orderId });", "&& → ||"],
  ]),
  ...inStore("src/claims/claim-store.ts", "Who asks has its id from where it was written.", [
    [
      "return row === undefined ? null : toClaim(row);",
      "row === undefined ? null : toClaim(row) → toClaim(row)",
      "readClaim",
    ],
  ]),
  ...inStore("src/claims/renewal-timer.ts", "It is a text or null.", [
    [
      'const accessAt = "access_at" in payload && typeof payload.access_at === "string" ? payload.access_at : null;',
      "&& → ||",
    ],
  ]),
  ...inStore("src/claims/expenses/receive-file.ts", "A type is recognised by far less.", [
    ["const TYPE_BYTES = 4_100;", "4_100 → (4_100 + 1)"],
  ]),
  ...inStore("src/claims/expenses/expense-fields.ts", "Nobody reads a single value of what has many.", [
    ['if (name !== "expense_subtypes") values[name] = null;', 'name !== "expense_subtypes" → true'],
  ]),
  ...inStore("src/claims/operations-store.ts", "Of the files only those are read that their expense names.", [
    [
      '.select(["f.expense_id", "f.name", "f.type", "f.bytes"])',
      '.where("e.beneficiary_id", "=", beneficiaryId) → (nothing)',
    ],
  ]),
  ...inStore(
    "src/claims/expenses/expense-fields.ts",
    "They are matched together or not at all: the condition is for the types.",
    [["if (day === undefined || month === undefined || year === undefined) return null;", "|| → &&"]],
  ),
  ...inStore("src/claims/expenses/expense-fields.ts", "What is made of nothing is no day.", [
    [
      `return year === undefined ? null : \`${$}{year}-${$}{month}-${$}{day}\`;`,
      `year === undefined ? null : \`${$}{year}-${$}{month}-${$}{day}\` → \`${$}{year}-${$}{month}-${$}{day}\``,
    ],
  ]),
  ...inStore("src/claims/claim-store.ts", "The claim was found for its provider before.", [
    [".selectAll()", '.where("provider_id", "=", key.providerId) → (nothing)', "readClaim"],
    [".set({ renewed_access_at: accessAt })", '.where("provider_id", "=", providerId) → (nothing)'],
    [".set({ unfollowed_at: at })", '.where("provider_id", "=", providerId) → (nothing)'],
    ["})", '.where("provider_id", "=", claim.providerId) → (nothing)', "changeClaim"],
  ]),
  ...inStore("src/claims/expenses/expense-store.ts", "The expense was found for its provider before.", [
    [".selectAll()", '.where("provider_id", "=", key.providerId) → (nothing)', "readExpense"],
    [".set({ beneficiary_id: beneficiaryId })", '.where("provider_id", "=", providerId) → (nothing)'],
    [".set({ status: to, updated_at: at })", '.where("provider_id", "=", key.providerId) → (nothing)'],
    [
      ".set({ subtypes: [...change.subtypes], updated_at: change.at })",
      '.where("provider_id", "=", key.providerId) → (nothing)',
    ],
    ["}))", '.where("provider_id", "=", key.providerId) → (nothing)', "completeFields"],
    [
      ".set({ name, type, bytes, sha256, storage_name: storageName, is_locked: isLocked, created_at: at })",
      '.where("provider_id", "=", expense.providerId) → (nothing)',
    ],
    [
      '.select(["name", "type", "bytes", "sha256", "storage_name", "is_locked"])',
      '.where("provider_id", "=", providerId) → (nothing)',
      "readFiles",
    ],
  ]),
  ...inStore(
    "src/claims/expenses/submit-expense.ts",
    "A receipt that is replaced is there: the condition is for the types.",
    [
      [
        "if (storageName !== null) await removeLater(tx, publishing, { providerId: expense.providerId, names: [storageName] });",
        "storageName !== null → true",
      ],
    ],
  ),
  ...inStore("src/claims/expenses/expense-store.ts", "Who asks has its id from where it was written.", [
    [
      "return row === undefined ? null : toExpense(row, await readFiles(db, row.provider_id, row.id));",
      "row === undefined ? null : toExpense(row, await readFiles(db, row.provider_id, row.id)) → toExpense(row, await readFiles(db, row.provider_id, row.id))",
      "readExpense",
    ],
  ]),
  ...inStore("src/orders/card-registration-store.ts", IDS_OF_ORDER, [
    [
      '.where("provider_id", "=", providerId)',
      '.where("order_id", "=", orderId) → (nothing)',
      ...["registrationById", "writeRegistration", "writeGiven", "countRegistrationInquiry"],
    ],
  ]),
  ...inStore("src/orders/card-registration-store.ts", "Only the first row is read of what comes.", [
    ['const row = await query.orderBy("number", "desc").limit(1).executeTakeFirst();', ".limit(1) → (nothing)"],
    ['const row = await query.orderBy("number", "desc").limit(1).executeTakeFirst();', "1 → (1 + 1)"],
  ]),
  ...inStore(
    "src/orders/card-registration-store.ts",
    "JSON's null is read as null, and the end of a visit empties it.",
    [
      [
        "given: begun.given === null ? null : JSON.stringify(begun.given),",
        "begun.given === null ? null : JSON.stringify(begun.given) → JSON.stringify(begun.given)",
      ],
    ],
  ),
  ...inStore(
    "src/orders/card-registration-store.ts",
    "An order that is to be paid has one visit open at most: a card is only changed of a paid one.",
    [['.where("order_id", "=", orderId)', '.where("id", "=", id) → (nothing)', "writeGiven"]],
  ),
  ...inStore(
    "src/orders/card-registration-store.ts",
    "The page is only read of a visit that is at it, which has both: constraints say so.",
    [
      [
        "page: url === null || expiresAt === null ? null : { url, expiresAt },",
        "url === null || expiresAt === null ? null : { url, expiresAt } → { url, expiresAt }",
      ],
      ["page: url === null || expiresAt === null ? null : { url, expiresAt },", "|| → &&"],
    ],
  ),
  ...inStore("src/orders/open-card-page.ts", "A visit at the page has its address: a constraint says so.", [
    [
      "return registration.page === null",
      'registration.page === null ? { outcome: "processing", order } : { outcome: "open", page... → { outcome: "open", page: registration.page, order }',
    ],
  ]),
  ...inStore(
    "src/orders/open-card-page.ts",
    "What is given changes one row, and nothing of one that has ended: it comes before the card or after it.",
    [["await lockOrder(tx, order);", "await lockOrder(tx, order); → ;"]],
  ),
  ...[
    { file: "src/orders/open-card-page.ts", line: "const number = (last?.number ?? 0) + 1;" },
    {
      file: "src/orders/run-registration.ts",
      line: "const number = ((await lastRegistration(tx, key, { purpose: begun.purpose }))?.number ?? 0) + 1;",
    },
  ].flatMap(({ file, line }) =>
    inStore(file, "Numbers tell an order's visits apart, and in which order they came: gaps change neither.", [
      [line, "0 → (0 + 1)"],
      [line, "1 → (1 + 1)"],
    ]),
  ),
  ...inStore("src/orders/tax-documents/tax-document-store.ts", "What is issued was asked for before.", [
    [
      `where provider_id = ${$}{providerId} and order_id = ${$}{orderId} and issued_at is null`,
      "issued_at is null → true",
    ],
  ]),
  ...inStore(
    "src/orders/tax-documents/issue-documents.ts",
    "A commission that is interest owes no document, so that no timer comes for one: the condition is for the types.",
    [
      [
        'if (order.commissionTax.regime === "interest") return "done";',
        'order.commissionTax.regime === "interest" → false',
      ],
    ],
  ),
  ...inStore("src/orders/tax-documents/commission-books.ts", "Interest holds no VAT: it only spares two sums.", [
    [
      'if (order.commissionTax.regime === "interest") return ZERO;',
      'order.commissionTax.regime === "interest" → false',
    ],
  ]),
  ...inStore("src/orders/refund-loss.ts", "Nobody can ask for it again: it has neither reference nor key.", [
    ["wholeRest: false,", "false → true"],
  ]),
  ...inStore("src/orders/refund-loss.ts", "Its movements are inserted in the same transaction, which says it too.", [
    ["allocated: true,", "true → false"],
  ]),
  ...inStore("src/orders/refunds/run-refund.ts", "Of what is all done nothing is dropped.", [
    ["if (undone.length > 0) await dropMovements(tx, key, undone, at);", "undone.length > 0 → true"],
    ["if (undone.length > 0) await dropMovements(tx, key, undone, at);", "> → >="],
  ]),
  ...inStore(
    "src/orders/refunds/run-refund.ts",
    "The worker ends the timer a moment later, and one that runs again finds a refund that has ended and was told.",
    [["else await run.endTimer(tx);", "await run.endTimer(tx); → ;"]],
  ),
  ...inStore(
    "src/orders/refunds/refund-store.ts",
    "Of an order that was paid in another way no loan is left to reduce: no such row is there.",
    [
      [
        'else if (kind === "bank_transfer") await claimOfPaidOtherwise(tx, key, { amount, commission }, at);',
        'kind === "bank_transfer" → true',
      ],
    ],
  ),
  ...inStore(
    "src/orders/refunds/refund-store.ts",
    "Who lost the refund has lost its timer too, and sets it no more; a request does not ask.",
    [["return released?.inquiries ?? 0;", "0 → (0 + 1)"]],
  ),
  ...inStore("src/orders/refunds/refund-store.ts", "No payment has the id null.", [
    ["if (paymentId !== null)", "paymentId !== null → true"],
  ]),
  ...inStore(
    "src/orders/refunds/run-refund.ts",
    "Who lost the refund has lost its timer too, and sets it no more; a request does not ask.",
    [
      [
        "return isMine ? written({ isTaken: true }) : null;",
        "isMine ? written({ isTaken: true }) : null → written({ isTaken: true })",
      ],
    ],
  ),
  ...inStore(
    "src/orders/refunds/run-refund.ts",
    "An answer is that of the next movement: the condition is for the types.",
    [["if (made === null) return null;", "made === null → false"]],
  ),
  ...inStore("src/orders/refunds/run-refund.ts", "Only a refusal has a reason: the condition is for the types.", [
    [
      'const refusal = answer.outcome === "refused" ? (answer.reason ?? null) : null;',
      'answer.outcome === "refused" ? (answer.reason ?? null) : null → (answer.reason ?? null)',
    ],
  ]),
  ...inStore("src/orders/refunds/run-refund.ts", "Only a return has an id: what is undefined is written as null.", [
    [
      'const returnId = answer.outcome === "returned" ? answer.returnId : null;',
      'answer.outcome === "returned" ? answer.returnId : null → answer.returnId',
    ],
  ]),
  ...inStore("src/orders/refunds/run-refund.ts", "Only a return has a voucher: the condition is for the types.", [
    [
      'const voucher = answer.outcome === "returned" ? keptOf(answer, order, made) : {};',
      'answer.outcome === "returned" ? keptOf(answer, order, made) : {} → keptOf(answer, order, made)',
    ],
  ]),
  ...inStore("src/orders/refunds/run-refund.ts", "What is returned is a payment's: the condition is for the types.", [
    [
      "return payment === undefined ? {} : voucherOf(told, payment.card);",
      "payment === undefined ? {} : voucherOf(told, payment.card) → voucherOf(told, payment.card)",
    ],
  ]),
  ...inStore("src/orders/refunds/refund-order.ts", "Once the refund has ended nobody asks.", [
    ["if (isProcessing(held)) onProcessing();", "isProcessing(held) → true"],
  ]),
  ...inStore(
    "src/orders/payments/payment-store.ts",
    "Only a decline has a reason and a limit: the condition is for the types.",
    [
      [
        'const cause: DeclineCause | null = step.ending?.as === "declined" ? step.ending : null;',
        'step.ending?.as === "declined" ? step.ending : null → step.ending',
      ],
    ],
  ),
  ...inStore(
    "src/orders/payments/payment-store.ts",
    "A challenge has both, or there is none: a step sets them together.",
    [["challenge: url === null || expiresAt === null ? null : { url, expiresAt },", "|| → &&"]],
  ),
  ...inStore(
    "src/orders/payments/run-payment.ts",
    "A step that moves no order is stored in one statement, and not here: the condition is for the types.",
    [
      [
        "const order = trigger === null ? running.order : await moveAlong(tx, dependencies, attempt, step, trigger, at);",
        "trigger === null ? running.order : await moveAlong(tx, dependencies, attempt, step, tri... → await moveAlong(tx, dependencies, attempt, step, trigger, at)",
      ],
    ],
  ),
  ...inStore(
    "src/orders/payments/run-payment.ts",
    "The worker ends the timer a moment later, and one that runs again finds an attempt that has ended. Who may write is asked of the attempt's own lease.",
    [["if (hasEnded(step.state)) await run.endTimer?.(tx);", "hasEnded(step.state) → false"]],
  ),
  ...inStore(
    "src/orders/payments/notify-receipt.ts",
    "A paid order and its clinic are there: the condition is for the types.",
    [
      ["if (provider === null || order?.paidAt == null) return;", "provider === null || order?.paidAt == null → false"],
      ["if (provider === null || order?.paidAt == null) return;", "|| → &&"],
    ],
  ),
  ...inStore(
    "src/orders/tax-documents/issue-documents.ts",
    "An answer is that of the oldest document: the condition is for the types.",
    [["if (next === undefined) return null;", "next === undefined → false"]],
  ),
  ...inStore("src/orders/tax-documents/issue-documents.ts", "The keys of a document's tries are only told apart.", [
    [`const key = \`${$}{sourceId}:${$}{kind}:${$}{refusals + 1}\`;`, "+ → -"],
    [`const key = \`${$}{sourceId}:${$}{kind}:${$}{refusals + 1}\`;`, "1 → (1 + 1)"],
  ]),
  ...inStore("src/orders/payments/payment-store.ts", "A lease is of one attempt.", [
    [
      `return sql\`provider_id = ${$}{attempt.providerId} and order_id = ${$}{attempt.orderId} and id = ${$}{attempt.id}`,
      `id = ${$}{attempt.id} → true`,
    ],
  ]),
  ...inStore("src/orders/pay-order.ts", "Every attempt has a payment: it only spares the search.", [
    ["if (order.payments.length === 0) return null;", "order.payments.length === 0 → false"],
  ]),
  ...inStore("src/orders/pay-order.ts", "An order without a card was refused before: it is for the types.", [
    ["if (order.card === null) return null;", "order.card === null → false"],
  ]),
  ...inStore("src/orders/pay-order.ts", "It is written to no row, and a request asks nobody again.", [
    ["inquiries: 0,", "0 → (0 + 1)"],
  ]),
  ...inStore("src/orders/payments/run-payment.ts", "A transaction writes the same: it only spares one.", [
    ["if (progress.effects.trigger !== null) return null;", "progress.effects.trigger !== null → true"],
  ]),
  ...inStore("src/orders/open-card-page.ts", "A page that has ended makes no call: it only spares the look.", [
    [
      "return said(dependencies, isOpen(last) ? await askAboutPage(dependencies, asking) : last);",
      "isOpen(last) ? await askAboutPage(dependencies, asking) : last → await askAboutPage(dependencies, asking)",
    ],
  ]),
  ...inStore("src/orders/run-registration.ts", "Of what has no challenge the state is not asked.", [
    [
      'const waits = { state: page === null ? "authenticating" : "challenged", challenge: page } as const;',
      'page === null ? "authenticating" : "challenged" → "challenged"',
    ],
  ]),
  ...inStore(
    "src/orders/refunds/allocate-waiting-refunds.ts",
    "It is asked as the one charge that was under way ends: the condition is for the types.",
    [['if (plan.outcome === "wait") return decided;', 'plan.outcome === "wait" → false']],
  ),
  ...inStore("src/orders/charge-lost-in-restore.ts", "One try more.", [
    ["const LOST_TRIES_MAX = 50;", "50 → (50 + 1)"],
  ]),
  ...inStore("src/orders/refunds/refund-store.ts", "A lease is of one refund.", [
    [`where ${$}{isRefund(key)} and lease_id = ${$}{lease.id}`, `${$}{isRefund(key)} → true`],
    [`where ${$}{isRefund(key)} and lease_id = ${$}{lease.id} and status = 'processing'`, `${$}{isRefund(key)} → true`],
    [`where ${$}{isRefund(key)} and lease_id = ${$}{leaseId} and status = 'processing'`, `${$}{isRefund(key)} → true`],
    [
      `where ${$}{isRefund(key)} and lease_id = ${$}{ended.leaseId} and status = 'processing'`,
      `${$}{isRefund(key)} → true`,
    ],
  ]),
  ...inStore("src/webhooks/delivery-queue-store.ts", "Only what is of an order waits for what was not attempted.", [
    ["attempted: false,", "false → true"],
  ]),
  ...inStore("src/webhooks/delivery-purge-store.ts", "Nothing ends before it was made: it only passes more.", [
    [`where endpoint_id = ${$}{endpointId}::uuid and created_at < ${$}{before}`, `created_at < ${$}{before} → true`],
    [`where endpoint_id = ${$}{endpointId}::uuid and created_at < ${$}{before}`, "< → <="],
    [`and (created_at, id) > (${$}{after.createdAt}::timestamptz, ${$}{after.id}::uuid)`, "> → >="],
  ]),
  ...inStore(
    "src/webhooks/delivery-purge-store.ts",
    "The row is there, and has nothing where nothing was passed: both end what is asked for in turn.",
    [
      [
        "if (row === undefined || row.created_at === null || row.id === null) return { passed: 0, deleted: 0, last: after };",
        "row === undefined || row.created_at === null || row.id === null → false",
      ],
    ],
  ),
  ...inStore("src/webhooks/delivery-store.ts", "No other timer has a delivery's key.", [
    [
      `else (select t.due_at from timers t where t.kind = ${$}{retryKind} and t.key = d.id::text || ':' || d.attempts::text)`,
      `t.kind = ${$}{retryKind} → true`,
    ],
  ]),
  ...inStore("src/webhooks/deliveries.ts", "One more is read, and not told.", [
    ["const found = await selectDeliveries(db, { endpointId, after, statuses, limit: limit + 1 });", "1 → (1 + 1)"],
  ]),
  ...inStore("src/webhooks/deliveries.ts", "No delivery is as old.", [
    ["? { deliveryId: body.delivery_id, since: new Date(0), statuses: ENDED }", "0 → (0 + 1)"],
  ]),
  ...inStore("src/webhooks/events.ts", "Another look goes on where the one before it ended.", [
    ["const LOOKED_AT_MAX = 500;", "500 → (500 + 1)"],
  ]),
  ...inStore("src/webhooks/endpoint-store.ts", "What was not found is not read.", [
    [
      "read: (column) => (column === null ? null : endpointInColumn(column as EndpointInColumn)),",
      "column === null ? null : endpointInColumn(column as EndpointInColumn) → endpointInColumn(column as EndpointInColumn)",
    ],
  ]),
  ...inStore("src/webhooks/endpoint-store.ts", "Who marks it ends the timer that asks, in the same transaction.", [
    ['.where("e.first_failed_at", "=", since)', '.where("e.failing_at", "is", null) → (nothing)'],
  ]),
  ...inStore("src/webhooks/delivery-queue-store.ts", "The least of all is as little as the first.", [
    ["order by queued_at limit 1) as d", "limit 1 → (nothing)"],
  ]),
  ...inStore("src/webhooks/delivery-queue-store.ts", "No other timer has an event's key.", [
    [
      `join timers on timers.kind = ${$}{dispatchKind} and timers.key = events.id::text and timers.done_at is null`,
      `timers.kind = ${$}{dispatchKind} → true`,
    ],
  ]),
  ...inStore("src/webhooks/delivery-queue-store.ts", "Of none nothing is found: it only spares the look.", [
    ["if (later.length === 0) return [];", "later.length === 0 → false"],
  ]),
  ...inStore(
    "src/webhooks/delivery-claim-store.ts",
    "Nothing comes before the first of an order: it only spares the look.",
    [["and (coalesce(d.sequence, 1) = 1 or not exists (", "coalesce(d.sequence, 1) = 1 → false"]],
  ),
  ...inStore(
    "src/webhooks/work.ts",
    "Nothing comes before the first event of an order, nor before one of none: it only spares a statement.",
    [
      [
        "orderId !== null && sequence !== null && sequence > 1 ? [{ orderId, sequence }] : [],",
        "orderId !== null && sequence !== null && sequence > 1 ? [{ orderId, sequence }] : [] → [{ orderId, sequence }]",
      ],
      ["orderId !== null && sequence !== null && sequence > 1 ? [{ orderId, sequence }] : [],", "&& → ||"],
      ["orderId !== null && sequence !== null && sequence > 1 ? [{ orderId, sequence }] : [],", "> → >="],
    ],
  ),
  ...inStore(
    "src/webhooks/delivery-claim-store.ts",
    "What was not taken before was never interrupted, and is left alone for nothing longer: it only spares the look.",
    [
      [
        `lease_until = ${$}{leaseUntil}::timestamptz + (case when d.leased_at is null then interval '0' else least(`,
        "d.leased_at is null → false",
      ],
    ],
  ),
  ...inStore("src/webhooks/delivery-claim-store.ts", "What the first row of them says is read once.", [
    [`case when c.of_endpoint = 1 then ${$}{secretsOfClaimed} end as secrets`, "c.of_endpoint = 1 → true"],
    ["left join events v on v.id = c.event_id and c.of_event = 1", "c.of_event = 1 → true"],
  ]),
  ...inStore(
    "src/webhooks/delivery-worker.ts",
    "What ends is gathered for a millisecond more, or from one attempt more.",
    [
      ["const BUSY_FROM = 20;", "20 → (20 + 1)"],
      ["const REFILL_AFTER_MS = 2;", "2 → (2 + 1)"],
      ["const isBusy = () => running.size >= BUSY_FROM;", ">= → >"],
    ],
  ),
  ...inStore("src/webhooks/delivery-worker.ts", "It only spares making the same bytes again.", [
    ["bodies.set(delivery.webhookId, body);", "bodies.set(delivery.webhookId, body); → ;"],
  ]),
  ...inStore("src/webhooks/delivery-worker.ts", "Where there is room for none the statement takes none.", [
    ["if (totalMax <= 0) return [];", "totalMax <= 0 → false"],
    ["if (totalMax <= 0) return [];", "<= → <"],
  ]),
  ...inStore("src/webhooks/attempt-recorder.ts", "One more is written at once, or a millisecond later.", [
    ["const WRITTEN_AT_ONCE_MAX = 200;", "200 → (200 + 1)"],
    ["const WRITTEN_AFTER_MS = 4;", "4 → (4 + 1)"],
  ]),
  ...inStore(
    "src/webhooks/attempt-recorder.ts",
    "In a transaction those that were accepted are written too, and nothing is to be told of them.",
    [
      [
        'if (records.every(({ outcome }) => outcome === "succeeded")) {',
        'records.every(({ outcome }) => outcome === "succeeded") → false',
      ],
    ],
  ),
  ...inStore(
    "src/webhooks/attempt-recorder.ts",
    "What was stored is of those that were written: the condition is for the types.",
    [
      [
        "return ended === undefined ? [] : retryTimers(ended, attempt);",
        "ended === undefined ? [] : retryTimers(ended, attempt) → retryTimers(ended, attempt)",
      ],
    ],
  ),
  ...inStore(
    "src/webhooks/attempt-store.ts",
    "The failures of what was accepted are read no more: who sends it again counts anew.",
    [
      [
        "failures = d.failures + (case when ended.outcome = 'failed' then 1 else 0 end),",
        "ended.outcome = 'failed' → true",
      ],
    ],
  ),
  ...inStore("src/webhooks/attempt-delivery.ts", "An answer that is too long is cut, and none is refused for it.", [
    ['return reason === "too_large" ? "network" : reason;', 'reason === "too_large" ? "network" : reason → reason'],
  ]),
  ...inStore(
    "src/webhooks/operations-store.ts",
    "An event's deliveries are of its clinic and have its moment: they are only found sooner.",
    [
      [
        `return sql\`(${$}{events}) as event join webhook_endpoints e on e.provider_id = event.provider_id`,
        "e.provider_id = event.provider_id → true",
      ],
      [
        "join webhook_deliveries d on d.endpoint_id = e.id and d.created_at = event.created_at and d.event_id = event.id`;",
        "d.created_at = event.created_at → true",
      ],
    ],
  ),
  ...inStore("src/webhooks/attempt-delivery.ts", "Each attempt has a span, and so a trace.", [
    [
      "const headers = traceparent === null ? signed : { ...signed, traceparent };",
      "traceparent === null ? signed : { ...signed, traceparent } → { ...signed, traceparent }",
    ],
  ]),
  ...inStore("src/checkout/tokens/mail-checkout.ts", "What is undefined is as if it were not there.", [
    ["...(locale === undefined ? {} : { locale }),", "locale === undefined ? {} : { locale } → { locale }"],
  ]),
  ...inStore(
    "src/checkout/widget-session.ts",
    "Who has sent one expense is in the free trial too, which is charged to nobody.",
    [
      [
        "const { is_subscribed: subscribed, is_free_trial: freeTrial } = planStatus({ plan: null, expensesSent: 0 }, now);",
        "0 → (0 + 1)",
      ],
      ["return eventTypeOf(token.purpose, { subscribed, freeTrial, chargedToProvider: false });", "false → true"],
    ],
  ),
  ...inStore("src/checkout/tokens/widget-token-store.ts", "All that have ended go, whichever of them goes first.", [
    ["order by coalesce(used_at, expires_at)", "(nothing) → desc"],
    ["order by expires_at", "(nothing) → desc"],
  ]),
  ...inStore(
    "src/checkout/tokens/widget-token-store.ts",
    "Those that are named and have not expired stay; more at once are deleted.",
    [
      [
        `select ctid from widget_tokens where expires_at < ${$}{expiredBefore}`,
        `expires_at < ${$}{expiredBefore} → true`,
      ],
      [`select ctid from widget_tokens where expires_at < ${$}{expiredBefore}`, "< → <="],
      [
        `where expires_at < ${$}{expiredBefore} and ctid = any(array(`,
        `ctid = any(array( select ctid from widget_tokens where expires_at < ${$}{expiredBefore} or... → true`,
      ],
    ],
  ),
  ...inStore("src/checkout/page-state.ts", "Nobody has no key.", [
    [
      "const provider = publicKey === null ? null : await findProviderByPublicKey(db, publicKey);",
      "publicKey === null ? null : await findProviderByPublicKey(db, publicKey) → await findProviderByPublicKey(db, publicKey)",
    ],
  ]),
  ...inStore("src/checkout/widget-session.ts", "Nobody has no RUT: it only spares the look.", [
    ["if (rut === null) return eventTypeOf(token.purpose, null);", "rut === null → false"],
  ]),
  ...inStore("src/webhooks/delivery-purge-store.ts", "No delivery is as old.", [
    [
      'export const FIRST_PLACE: DeliveryPlace = { createdAt: new Date(0), id: "00000000-0000-0000-0000-000000000000" };',
      "0 → (0 + 1)",
    ],
  ]),
  {
    package: "bff",
    file: "src/orders/payments/notify-receipt.ts",
    lineText: "if (orderId === null || !isOrderId(orderId)) return;",
    change: "|| → &&",
    why: "An event of an order always has the order's id; the line tells it to the compiler.",
  },
  {
    package: "bff",
    file: "src/orders/payments/notify-receipt.ts",
    lineText: "if (orderId === null || !isOrderId(orderId)) return;",
    change: "orderId === null || !isOrderId(orderId) → false",
    why: "An event of an order always has the order's id; the line tells it to the compiler.",
  },
  {
    package: "bff",
    file: "src/orders/refunds/refund-allocation.ts",
    lineText: "return kept > due ? subtractClp(kept, due) : ZERO;",
    change: "> → >=",
    why: "Where both are the same, their difference is zero.",
  },
  ...inStore(
    "src/collection/notify-patient-of-money.ts",
    "An order that has an event is there; the line tells it to the compiler.",
    [["if (order === null) return;", "order === null → false"]],
  ),
  ...inStore(
    "src/collection/pay-early.ts",
    "Both are there, or neither: a charge that was just stored is made first.",
    [['if (standing === null || answer === null) return { outcome: "processing" };', "|| → &&"]],
  ),
  ...inStore(
    "src/collection/pay-early.ts",
    "Whether something is left to charge was asked before, under the same lock.",
    [["if (charge === null) return null;", "charge === null → false"]],
  ),
  ...inStore("src/collection/collection-store.ts", "It counts of what was declined, which says it anew.", [
    ["hard: false,", "false → true"],
  ]),
  ...inStore("src/collection/collection-store.ts", "What is counted is there; the zero tells it to the compiler.", [
    ["return row?.inquiries ?? 0;", "0 → (0 + 1)"],
  ]),
  ...inStore(
    "src/collection/loan-reports/loan-report-store.ts",
    "What is counted is there; the zero tells it to the compiler.",
    [["return row?.inquiries ?? 0;", "0 → (0 + 1)"]],
  ),
  ...inStore(
    "src/collection/authentication/authentication-store.ts",
    "It is read only of one that is open, which has both or neither.",
    [["challenge: url === null || expiresAt === null ? null : { url, expiresAt },", "|| → &&"]],
  ),
  ...inStore(
    "src/collection/authentication/authentication-store.ts",
    "Of one that is not at the challenge only its end is read, before which no moment is where there is none.",
    [
      [
        "challenge: url === null || expiresAt === null ? null : { url, expiresAt },",
        "url === null || expiresAt === null ? null : { url, expiresAt } → { url, expiresAt }",
      ],
    ],
  ),
  ...inStore("src/collection/change-card.ts", "A constraint of the table: a challenge that is open has an address.", [
    [
      'return challenge === null ? { outcome: "processing" } : { outcome: "requires_action", challenge };',
      'challenge === null ? { outcome: "processing" } : { outcome: "requires_action", challenge } → { outcome: "requires_action", challenge }',
    ],
  ]),
  ...inStore("src/collection/change-card.ts", "Numbers only tell which was asked later, and grow all the same.", [
    ['const number = (await readAuthentications(tx, key, "card_change")).length + 1;', "+ → -"],
    ['const number = (await readAuthentications(tx, key, "card_change")).length + 1;', "1 → (1 + 1)"],
  ]),
  ...inStore("src/collection/pay-early.ts", "Numbers only tell which was asked later, and grow all the same.", [
    ["const number = before.length + 1;", "+ → -"],
    ["const number = before.length + 1;", "1 → (1 + 1)"],
  ]),
  ...inStore(
    "src/collection/charge/read-early-payment.ts",
    "A constraint of the table: a challenge that is open has an address, and no other row has one.",
    [
      [
        'if (state === "challenged" && challenge !== null) return { outcome: "requires_action", challenge };',
        "&& → ||",
      ],
    ],
  ),
  ...inStore(
    "src/collection/change-card-on-page.ts",
    "Numbers only tell which was opened later, and grow all the same.",
    [
      ["const number = (last?.number ?? 0) + 1;", "0 → (0 + 1)"],
      ["const number = (last?.number ?? 0) + 1;", "1 → (1 + 1)"],
    ],
  ),
  ...inStore(
    "src/collection/change-card-on-page.ts",
    "What is asked about a card from the page is found by either; of two that began in one moment nobody knows which was later.",
    [["if (later !== undefined && later.startedAt > (registration.endedAt ?? registration.startedAt))", "> → >="]],
  ),
  ...inStore("src/collection/collection-store.ts", "What is undefined is left out.", [
    [
      "...(card === undefined ? {} : { card: JSON.stringify(card) }),",
      "card === undefined ? {} : { card: JSON.stringify(card) } → { card: JSON.stringify(card) }",
    ],
    [
      "...(seriesFrom === undefined ? {} : { series_from: seriesFrom }),",
      "seriesFrom === undefined ? {} : { series_from: seriesFrom } → { series_from: seriesFrom }",
    ],
  ]),
  ...inStore(
    "src/collection/deadline.ts",
    "The worker ends the timer a moment later; one that runs again finds it pulled, or announced.",
    [
      ["await finish(tx);", "await finish(tx); → ;"],
      ["await finish(tx, outcome);", "await finish(tx, outcome); → ;"],
    ],
  ),
  ...inStore(
    "src/collection/authentication/ask-issuer.ts",
    "Which cards are needed is decided there: it only spares the look.",
    [
      [
        "if (settled.endedAt !== null && held.card !== null) await removeUnneededCards(tx, { clock }, held, at);",
        "settled.endedAt !== null && held.card !== null → true",
      ],
      [
        "if (settled.endedAt !== null && held.card !== null) await removeUnneededCards(tx, { clock }, held, at);",
        "&& → ||",
      ],
    ],
  ),
  ...inStore("src/collection/daily-sync.ts", "One more at once.", [
    ["const OVERDUE_MAX = 1_000;", "1_000 → (1_000 + 1)"],
  ]),
  ...inStore(
    "src/collection/collection-store.ts",
    "A timer that is late by just the hour may be woken: one too many does no harm.",
    [
      ['where.and([where("state", "=", "scheduled"), where("due_at", "<", dueBefore)]),', '"<" → "<="'],
      ['where.and([where("state", "=", "processing"), where("updated_at", "<", dueBefore)]),', '"<" → "<="'],
    ],
  ),
  ...inStore(
    "src/collection/start-collection.ts",
    "An event of an order always has the order's id; the line tells it to the compiler.",
    [
      [
        'if (orderId === null || !isOrderId(orderId)) throw new OrderNotPaid("An event of an order does not name it.");',
        "|| → &&",
      ],
    ],
  ),
  {
    package: "bff",
    file: "src/collection/collection.ts",
    lineText: "return from < opens ? opens : from;",
    change: "< → <=",
    why: "Where both are the same moment, it is that moment.",
  },
  {
    package: "bff",
    file: "src/collection/charge/dunning.ts",
    lineText: "const BEGINNING = new Date(0);",
    change: "0 → (0 + 1)",
    why: "Any moment long before every order.",
  },
  {
    package: "bff",
    file: "src/claims/claim-life.ts",
    lineText: "return due !== null && due > now && due < byRhythm ? due : byRhythm;",
    change: "< → <=",
    why: "Where both are the same moment, it is that moment.",
  },
  {
    package: "bff",
    file: "src/claims/claim.ts",
    lineText: "return Math.min(15 * MINUTE_MS * 2 ** Math.min(attempt - 1, 10), 4 * HOUR_MS);",
    change: "10 → (10 + 1)",
    why: "It only keeps the power from overflowing; four hours are the most long before.",
  },
  {
    package: "bff",
    file: "src/claims/expenses/expense.ts",
    lineText: 'if (order === null) return "received";',
    change: "order === null → false",
    why: "No order is in no set of states; the line tells it to the compiler.",
  },
  {
    package: "bff",
    file: "src/orders/identity-tries.ts",
    lineText: "export const IDENTITY_ANSWER_WITHIN_MS = 60_000;",
    change: "60_000 → (60_000 + 1)",
    why: "A millisecond of a minute that nobody counts.",
  },
  {
    package: "bff",
    file: "src/orders/identity-tries.ts",
    lineText: "const oldest = sorted[sorted.length - IDENTITY_REJECTIONS_PER_HOUR_MAX] ?? 0;",
    change: "0 → (0 + 1)",
    why: "There are as many; the zero tells it to the compiler.",
  },
  {
    package: "widget",
    file: "embed/accent.ts",
    lineText: "return 0.2126 * (red ?? 0) + 0.7152 * (green ?? 0) + 0.0722 * (blue ?? 0);",
    change: "0 → (0 + 1)",
    why: "Three parts are always there; the zeros tell it to the compiler.",
  },
  {
    package: "widget",
    file: "embed/frame-height.ts",
    lineText: "if (scheduled !== undefined) cancelAnimationFrame(scheduled);",
    change: "scheduled !== undefined → true",
    why: "A browser ignores the end of a frame that was never asked for.",
  },
  {
    package: "widget",
    file: "embed/load-watch.ts",
    lineText: "export const LOAD_TIMEOUT_MS = 10_000;",
    change: "10_000 → (10_000 + 1)",
    why: "Nobody sees a wait that is a millisecond longer.",
  },
  {
    package: "widget",
    file: "embed/accent.ts",
    lineText: "return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;",
    change: "<= → <",
    why: "No part of a colour is just that share of 255.",
  },
  {
    package: "widget",
    file: "embed/accent.ts",
    lineText: "const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);",
    change: "0 → (0 + 1)",
    why: "There are always two; the zeros tell it to the compiler.",
  },
  {
    package: "widget",
    file: "embed/accent.ts",
    lineText:
      'return accent !== undefined && /^#[0-9a-f]{6}$/i.test(accent) && contrast(accent, "#ffffff") >= CONTRAST_MIN;',
    change: ">= → >",
    why: "No colour has just that contrast.",
  },
  {
    package: "widget",
    file: "embed/accent.ts",
    lineText: "const [a = 0, b = 0] = [one, other].map((color) => Number.parseInt(color.slice(at, at + 2), 16));",
    change: "0 → (0 + 1)",
    why: "There are always two; the zeros tell it to the compiler.",
  },
  {
    package: "widget",
    file: "embed/checkout-style.ts",
    lineText: "let height = 0;",
    change: "0 → (0 + 1)",
    why: "A frame is never less than 640 pixels high, unless the page wants it so.",
  },
  {
    package: "widget",
    file: "embed/checkout-style.ts",
    lineText: "if (!scope || !isStyleScope(scope)) return;",
    change: "|| → &&",
    why: "What a checkout is attached to is a document or a shadow root; the line tells it to the compiler.",
  },
  {
    package: "widget",
    file: "embed/checkout-style.ts",
    lineText: "if (!scope || !isStyleScope(scope)) return;",
    change: "!scope || !isStyleScope(scope) → false",
    why: "What a checkout is attached to is a document or a shadow root; the line tells it to the compiler.",
  },
  {
    package: "widget",
    file: "embed/frame-height.ts",
    lineText: "let reported = -1;",
    change: "1 → (1 + 1)",
    why: "Any height that no frame has.",
  },
  {
    package: "widget",
    file: "embed/frame-side.ts",
    lineText: "let sentId = 0;",
    change: "0 → (0 + 1)",
    why: "It is set again with each port, and without a port nothing is sent.",
  },
  {
    package: "widget",
    file: "embed/host-side.ts",
    lineText: "let sentId = 0;",
    change: "0 → (0 + 1)",
    why: "A hello sets it, and before one nothing is sent.",
  },
  {
    package: "widget",
    file: "embed/host-side.ts",
    lineText: "let announcedId = 0;",
    change: "0 → (0 + 1)",
    why: "It counts for the document that has announced itself, and none has yet.",
  },
  {
    package: "widget",
    file: "embed/load-watch.ts",
    lineText: "let isLoaded = false;",
    change: "false → true",
    why: "It is set again when the waiting begins.",
  },
  {
    package: "widget",
    file: "embed/mount-checkout.ts",
    lineText: "#hasAnnounced = false;",
    change: "false → true",
    why: "It is set again when the frame is loaded, and before that nothing is heard.",
  },
  {
    package: "widget",
    file: "embed/mount-checkout.ts",
    lineText: "#isUp = false;",
    change: "false → true",
    why: "It is set again when the frame is loaded, and before that nothing is heard.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/balance-store.ts",
    lineText: "where t.provider_id = $" + "{providerId} and t.at < 'infinity' and t.at >= coalesce(",
    change: "t.at < 'infinity' → true",
    why: "It only tells the planner how many rows to expect.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/balance-store.ts",
    lineText: "where t.provider_id = $" + "{providerId} and t.at < 'infinity' and t.at >= coalesce(",
    change: "< → <=",
    why: "No row has that moment.",
  },
  {
    package: "widget",
    file: "embed/mount-checkout.ts",
    lineText: "const address = fresh ? parseUrl(fresh) : undefined;",
    change: "fresh ? parseUrl(fresh) : undefined → parseUrl(fresh)",
    why: "No link is the page's own address, which is of another origin and has no token.",
  },
  {
    package: "widget",
    file: "embed/preload-checkout.ts",
    lineText: 'frame.addEventListener("load", () => (isLoaded = true), { once: true });',
    change: "true → false",
    why: "What has loaded stays loaded.",
  },
  {
    package: "bff",
    file: "src/orders/book-entries.ts",
    lineText: "...(amount > 0 ? { debit: owed, credit: to } : { debit: to, credit: owed }),",
    change: "> → >=",
    why: "What is nothing was left out before.",
  },
  {
    package: "bff",
    file: "src/orders/book-entries.ts",
    lineText: "...(part > 0",
    change: "> → >=",
    why: "What is nothing was left out before.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/book-store.ts",
    lineText: "or (cause like 'return:%' and exists (",
    change: "cause like 'return:%' → true",
    why: "A cause that names a movement's return begins so; it only spares the question.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/book-store.ts",
    lineText:
      "on d.provider_id = m.provider_id and d.order_id = m.order_id and d.id = m.payment_id and d.kind = 'deferred'",
    change: "d.order_id = m.order_id → true",
    why: "The payment's id finds it alone; the order only finds it sooner.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/book-store.ts",
    lineText: "where m.provider_id = o.provider_id and m.order_id = o.id and cause = 'return:' || m.id))) as collected",
    change: "m.order_id = o.id → true",
    why: "The movement's id finds it alone; the order only finds it sooner.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/book-store.ts",
    lineText:
      "join order_refunds r on r.provider_id = m.provider_id and r.order_id = m.order_id and r.id = m.refund_id",
    change: "r.order_id = m.order_id → true",
    why: "The refund's id finds it alone; the order only finds it sooner.",
  },
  {
    package: "bff",
    file: "src/orders/book-entries.ts",
    lineText: "if (amount <= 0) return;",
    change: "<= → <",
    why: "Of nothing, or less, no row is booked anyhow.",
  },
  {
    package: "bff",
    file: "src/orders/book-entries.ts",
    lineText: "if (amount <= 0) return;",
    change: "amount <= 0 → false",
    why: "Of nothing, or less, no row is booked anyhow.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/closing-store.ts",
    lineText: ".limit(1)",
    change: "1 → (1 + 1)",
    why: "Only the first row is read of what comes.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/closing-store.ts",
    lineText: '.orderBy("at")',
    change: ".limit(1) → (nothing)",
    why: "Only the first row is read of what comes.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/closing-store.ts",
    lineText: "where provider_id = $" + "{providerId} and closed_before < $" + "{before}`.execute(tx);",
    change: "< → <=",
    why: "Where both are the same, it stays as it is.",
  },
  {
    package: "bff",
    file: "src/orders/close-days.ts",
    lineText: "const PIECE_DAYS = 31;",
    change: "31 → (31 + 1)",
    why: "How many days are summed at once nobody sees.",
  },
  {
    package: "bff",
    file: "src/orders/close-days.ts",
    lineText: "if (until === null || from === null) return [];",
    change: "|| → &&",
    why: "Where no day is closed nothing is kept, and nothing is summed.",
  },
  {
    package: "bff",
    file: "src/orders/close-days.ts",
    lineText: "for (let begin = from; begin < to; ) {",
    change: "< → <=",
    why: "A piece of no time holds no row.",
  },
  {
    package: "bff",
    file: "src/orders/close-days.ts",
    lineText: "pieces.push({ from: begin, to: end < to ? end : to });",
    change: "< → <=",
    why: "Where both are the same moment, it is that moment.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/transfer-store.ts",
    lineText: "if (transfers.every(({ amount }) => amount === 0)) return;",
    change: "transfers.every(({ amount }) => amount === 0) → false",
    why: "It only spares a statement that books nothing.",
  },
  {
    package: "bff",
    file: "src/orders/ledger/transfer-store.ts",
    lineText: "if (booked.length === 0) return sql`select 1`;",
    change: "booked.length === 0 → false",
    why: "Of no rows none is inserted; it only spares the arrays.",
  },
  {
    package: "bff",
    file: "src/orders/close-days.ts",
    lineText: "if (until === null || from === null) return [];",
    change: "until === null || from === null → false",
    why: "Where no day is closed nothing is kept, and nothing is summed.",
  },
];

export function isEqual(packageName: string, mutant: Mutant): boolean {
  return EQUAL_MUTANTS.some((one) => one.package === packageName && one.file === mutant.file && isSame(one, mutant));
}

function isSame({ lineText, change, inFunctions }: EqualMutant, mutant: Mutant): boolean {
  return (
    lineText === mutant.lineText &&
    change === mutant.change &&
    (inFunctions === undefined || inFunctions.includes(mutant.inFunction ?? ""))
  );
}

/** Those of the list that are no mutants of their file any more. */
export function unknownEqualMutants(bff: string): string[] {
  return EQUAL_MUTANTS.filter((one) => {
    const path = join(bff, "..", one.package, one.file);
    if (!existsSync(path)) return true;
    const mutants = findMutants(one.file, readFileSync(path, "utf8")).filter((mutant) => isSame(one, mutant));
    return (
      mutants.length === 0 || one.inFunctions?.some((name) => mutants.every(({ inFunction }) => inFunction !== name))
    );
  }).map(({ file, lineText, change }) => `${file}: ${lineText}: ${change}`);
}
