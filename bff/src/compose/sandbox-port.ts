import type { RequestListener } from "node:http";
import type { GatewaysConfig } from "../config.ts";
import type { BankAccount } from "../contract/bank-account.ts";
import type { ReceivedCallback } from "../gateways/connector/insurer-callbacks.ts";
import type { TestValues } from "../partner-docs/pages/site.ts";
import type { Route } from "../platform/http/route.ts";

/**
 * What the service knows of a sandbox. The program for staging (bff/sandbox) brings one along; the service's own program
 * has none, and nothing of it in its build.
 */
export interface Sandbox {
  /** Where its connector is, in front of everybody whom the service calls. */
  readonly parties: GatewaysConfig;
  /** Where payees are paid who have told of no account. */
  readonly defaultAccount: BankAccount;
  /** What the documentation for partners shows. */
  readonly testValues: TestValues;
  /** Its own host, the face `sandbox`. */
  readonly app: RequestListener;
  /** Stands beside a service from now on. */
  join(service: SandboxHost): JoinedSandbox;
}

/** What a sandbox may ask of the service beside it. */
export interface SandboxHost {
  /** Does everything that is due now, or a provider's share of it. Returns how much it did. */
  runDue(scope?: { readonly providerId: string }): Promise<number>;
  /** Takes what its insurer calls back with, as if it had come over the network. */
  receiveCallback(callback: ReceivedCallback): Promise<void>;
}

/** What it adds to a service. */
export interface JoinedSandbox {
  /** Calls for tests and the demo, on the order API. */
  readonly routes: readonly Route[];
  start(): void;
  stop(): Promise<void>;
}
