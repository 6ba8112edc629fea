import type { RequestListener } from "node:http";
import type { BankAccount } from "../contract/bank-account.ts";
import type { ReceivedCallback } from "../gateways/insurer-callbacks.ts";
import type { docsRouter } from "../partner-docs/routes.ts";
import type { Route } from "../platform/http/route.ts";
import type { LogFields } from "../platform/logger.ts";
import type { GatewaysConfig } from "./config.ts";

/**
 * The sandbox as the service sees it. Only the program for staging (bff/sandbox) has one; the service's own program
 * contains no sandbox code.
 */
export interface Sandbox {
  /** The addresses and settings of the gateways that the sandbox replaces. */
  readonly parties: GatewaysConfig;
  /** The bank account of payees who have registered none. */
  readonly defaultAccount: BankAccount;
  /** The test values shown in the partners' documentation. */
  readonly testValues: NonNullable<Parameters<typeof docsRouter>[0]["testValues"]>;
  /** The HTTP host of the sandbox. */
  readonly app: RequestListener;
  /** Connects the sandbox to a running service. */
  join(service: SandboxHost): JoinedSandbox;
}

/** What the service offers to its sandbox. */
export interface SandboxHost {
  /** Runs all due work, or only that of one provider. Returns the number of tasks that ran. */
  runDue(scope?: { readonly providerId: string }): Promise<number>;
  /** Processes a callback from the sandbox's insurer as if it had come over the network. */
  receiveCallback(callback: ReceivedCallback): Promise<void>;
}

/** What the sandbox adds to a service. */
export interface JoinedSandbox {
  /** Endpoints on the order API for tests and the demo. */
  readonly routes: readonly Route[];
  /** Receives the logged fields of each request. */
  requestEnded(fields: LogFields): void;
  start(): void;
  stop(): Promise<void>;
}
