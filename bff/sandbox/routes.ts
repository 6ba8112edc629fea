import type { Config } from "../src/app/config.ts";
import { sandboxEndpoints } from "../src/contract/sandbox-endpoints.ts";
import { DAY_MS } from "../src/contract/vocabulary/durations.ts";
import { type OrderId, readOrderId } from "../src/contract/vocabulary/identifiers.ts";
import type { ClaimOutcome } from "../src/gateways/insurer.ts";
import { ApiError } from "../src/platform/http/api-error.ts";
import { type Answer, defineRoute, loading, type Route } from "../src/platform/http/route.ts";
import { type Provider, providerNow } from "../src/platform/provider.ts";
import type { IssuedCredential } from "../src/tenants/credentials.ts";
import { findProvider } from "../src/tenants/providers.ts";
import { FAULT_CAUSES, FAULT_METHODS } from "./calls/faults.ts";
import {
  CATALOGUE_ACCOUNTS,
  CATALOGUE_ADDRESSES,
  CATALOGUE_CARDS,
  CATALOGUE_NUMBERS,
  CATALOGUE_PATIENTS,
  CATALOGUE_SERIALS,
} from "./catalogue.ts";
import { chargeBack } from "./charge-back.ts";
import { CLOCK_ADVANCE_DAYS_MAX, type ClockMover, durationMs } from "./clock-mover.ts";
import { type GiveKeysDependencies, giveKeys } from "./keys/give-keys.ts";
import { type MakeTenantDependencies, makeTenant } from "./keys/make-tenant.ts";
import { makeChallenge } from "./keys/proof-of-work.ts";
import { readMessages, readNotifications } from "./read-notifications.ts";
import type { RecentRequest, RecentRequests } from "./requests/recent-requests.ts";
import { callersClaimedOrder, settleClaim } from "./settle-claim.ts";
import { readFaults, setFaults } from "./tenant-faults.ts";

export interface SandboxRoutesDependencies extends GiveKeysDependencies, MakeTenantDependencies {
  readonly addresses: Pick<Config["addresses"], "order" | "spot" | "widget">;
  readonly clockMover: ClockMover;
  readonly requests: Pick<RecentRequests, "of">;
  /** Whether this process was started with permission for tenants to kill it (`kill_after`). */
  readonly canBeKilled: boolean;
  /** Makes the sandbox's insurer call back about one of its claims. */
  readonly insurerCallsBack: (claim: { readonly providerId: string; readonly claimId: string }) => Promise<void>;
}

const ok = (body: unknown): Answer => ({ status: 200, body });

/** The routes of the sandbox. They must be mounted in staging only. */
export function sandboxRoutes(dependencies: SandboxRoutesDependencies): Route[] {
  return [
    defineRoute(sandboxEndpoints.readSandboxCatalogue, { handle: async () => ok(catalogueBody()) }),
    ...keyRoutes(dependencies),
    ...tenantRoutes(dependencies),
    ...clockRoutes(dependencies),
    ...outcomeRoutes(dependencies),
  ];
}

/**
 * The maximum number of tenants per hour for one address without an account: enough for a class of students, too few
 * for a flood.
 */
const KEYS_PER_HOUR = 60;

function keyRoutes(dependencies: SandboxRoutesDependencies): Route[] {
  const { keyring, ids, addresses } = dependencies;
  return [
    defineRoute(sandboxEndpoints.readSandboxChallenge, {
      limits: ({ ip }) => [
        { name: "sandbox.challenges", key: ip, requestsMax: KEYS_PER_HOUR * 10, windowSeconds: 3_600 },
      ],
      async handle({ now }) {
        const { challenge, bits, expiresAt } = makeChallenge(keyring, ids.uuid(), now);
        return ok({ challenge, bits, expires_at: expiresAt.toISOString() });
      },
    }),
    defineRoute(sandboxEndpoints.createSandboxKeys, {
      limits: ({ ip }) => [{ name: "sandbox.keys", key: ip, requestsMax: KEYS_PER_HOUR, windowSeconds: 3_600 }],
      async handle({ body, now }) {
        const { provider, credentials, endsAt } = await giveKeys(dependencies, body, now);
        const reached = {
          order_api: addresses.order.publicUrl,
          spot_api: addresses.spot.publicUrl,
          widget_host: addresses.widget.publicUrl,
        };
        const made = { ...tenantBody(provider, credentials), addresses: reached, ends_at: endsAt.toISOString() };
        return { status: 201, body: made };
      },
    }),
  ];
}

function tenantRoutes(dependencies: SandboxRoutesDependencies): Route[] {
  return [
    defineRoute(sandboxEndpoints.createSandboxTenant, {
      async handle({ body, principal }) {
        const wanted = {
          name: body.name,
          meta: body.meta,
          origins: body.origins,
          returnUrls: body.return_urls,
          captureFirst: body.capture_first,
          commissionPercentage: body.commission_percentage,
          commissionRegime: body.commission_regime,
          cardPage: body.card_page,
          knownPatients: body.known_patients,
          unpaidOrderExpiryMinutes: body.unpaid_order_expiry_minutes,
        };
        const by = { callerId: principal.provider.id, now: dependencies.clock.now() };
        const { provider, credentials } = await makeTenant(dependencies, wanted, by);
        return { status: 201, body: tenantBody(provider, credentials) };
      },
    }),
    defineRoute(sandboxEndpoints.readSandboxRequests, {
      handle: async ({ principal }) =>
        ok({ requests: dependencies.requests.of(principal.provider.id).map(requestBody) }),
    }),
    defineRoute(sandboxEndpoints.readSandboxFaults, {
      handle: async ({ principal }) => ok({ faults: await readFaults(dependencies, principal.provider.id) }),
    }),
    defineRoute(sandboxEndpoints.setSandboxFaults, {
      handle: async ({ principal, body }) =>
        ok({ faults: await setFaults(dependencies, principal.provider.id, body.faults) }),
    }),
  ];
}

function clockRoutes(dependencies: SandboxRoutesDependencies): Route[] {
  const { clockMover } = dependencies;
  return [
    defineRoute(sandboxEndpoints.readSandboxClock, {
      async handle({ principal: { provider } }) {
        return ok(await clockBody(dependencies, provider, await clockMover.remaining(provider.id)));
      },
    }),
    defineRoute(sandboxEndpoints.moveSandboxClock, {
      async handle({ principal: { provider }, body }) {
        const { remainingMs } = await clockMover.advance(provider.id, advanceMs(body.advance));
        const status = remainingMs === 0 ? 200 : 202;
        return { status, body: await clockBody(dependencies, provider, remainingMs) };
      },
    }),
  ];
}

function outcomeRoutes(dependencies: SandboxRoutesDependencies): Route[] {
  return [
    defineRoute(sandboxEndpoints.readSandboxNotices, {
      async handle({ principal, query }) {
        const wanted = { providerId: principal.provider.id, to: query.to ?? null, limit: query.limit };
        const mails = await readNotifications(dependencies, wanted);
        const messages = await readMessages(dependencies, wanted);
        return ok({ notices: mails.map(noticeBody), messages: messages.map(noticeBody) });
      },
    }),
    defineRoute(sandboxEndpoints.settleSandboxClaim, {
      load: ({ params }) => loading(callersClaimedOrder(readOrderId(params.hash ?? "")), "order_not_found"),
      async handle({ principal, body, now, resource }) {
        const order = { providerId: principal.provider.id, orderHash: resource, at: now };
        const { claimId, outcome } = await settleClaim(dependencies, order, body);
        if (body.callback) await dependencies.insurerCallsBack({ providerId: order.providerId, claimId });
        return ok({ claim: claimBody(resource, outcome) });
      },
    }),
    defineRoute(sandboxEndpoints.chargeBackInSandbox, {
      async handle({ principal, body, now }) {
        const order = { providerId: principal.provider.id, orderHash: body.order_hash, at: now };
        const { id, chargeId, amount } = await chargeBack(dependencies, order);
        return { status: 201, body: { chargeback: { id, charge_id: chargeId, amount } } };
      },
    }),
  ];
}

function noticeBody<Sent extends { readonly messageId: string; readonly sentAt: Date }>(sent: Sent) {
  const { messageId, sentAt, ...notification } = sent;
  return { ...notification, message_id: messageId, sent_at: sentAt.toISOString() };
}

function requestBody(request: RecentRequest) {
  const { requestId, endedAt, method, route, status, code, invalidFields, durationMs } = request;
  return {
    request_id: requestId,
    ended_at: endedAt.toISOString(),
    method,
    route,
    status,
    code,
    invalid_fields: invalidFields,
    duration_ms: durationMs,
  };
}

function catalogueBody(): unknown {
  return {
    cards: CATALOGUE_CARDS.map(({ number, brand, kind, causes }) => ({ number, brand, kind, causes })),
    document_serials: CATALOGUE_SERIALS.map(({ serial, causes }) => ({ document_serial: serial, causes })),
    people: CATALOGUE_PATIENTS.map(({ rut, causes }) => ({ rut, causes })),
    email_addresses: CATALOGUE_ADDRESSES.map(({ email, causes }) => ({ email, causes })),
    phone_numbers: CATALOGUE_NUMBERS.map(({ number, causes }) => ({ number, causes })),
    bank_accounts: CATALOGUE_ACCOUNTS.map(({ number, causes }) => ({ number, causes })),
    faults: {
      kinds: Object.entries(FAULT_CAUSES).map(([kind, causes]) => ({ kind, causes })),
      methods: Object.entries(FAULT_METHODS).flatMap(([party, methods]) =>
        methods.map((method) => ({ party, method })),
      ),
    },
  };
}

function tenantBody({ id, name, rut }: Provider, credentials: readonly IssuedCredential[]) {
  return {
    provider: { id, name, rut },
    credentials: Object.fromEntries(credentials.map(({ kind, value }) => [kind, value])),
  };
}

async function clockBody(
  { db, clock }: SandboxRoutesDependencies,
  { id }: Provider,
  remainingMs: number,
): Promise<unknown> {
  const provider = await findProvider(db, id);
  const clockOffsetMs = provider?.clockOffsetMs ?? 0;
  const realNow = clock.now();
  return {
    now: providerNow({ clockOffsetMs }, realNow).toISOString(),
    real_now: realNow.toISOString(),
    ahead_seconds: clockOffsetMs / 1000,
    remaining_seconds: remainingMs / 1000,
  };
}

function claimBody(orderHash: OrderId, claim: ClaimOutcome): unknown {
  return {
    order_hash: orderHash,
    status: claim.outcome,
    reimbursed: claim.outcome === "approved" ? claim.reimbursed : null,
    reason: claim.outcome === "rejected" ? claim.reason : null,
  };
}

function advanceMs(text: string): number {
  const milliseconds = durationMs(text);
  if (milliseconds <= CLOCK_ADVANCE_DAYS_MAX * DAY_MS) return milliseconds;
  const message = `must be at most ${CLOCK_ADVANCE_DAYS_MAX} days`;
  throw new ApiError("validation_error", { errors: [{ path: "advance", message }] });
}
