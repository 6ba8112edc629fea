import { describe, expect, it } from "vitest";
import { sandboxEndpoints } from "../src/contract/sandbox-endpoints.ts";
import { sandboxNotes } from "../src/partner-docs/notes/sandbox.ts";
import { COMMISSION_PERCENTAGE, LOCAL_ORIGINS } from "./create-tenant.ts";
import { TENANTS_OF_HOLDER, TENANTS_OF_HOLDER_PER_HOUR } from "./keys/make-tenant.ts";

describe("the reference of sandbox tenants", () => {
  const options = sandboxNotes["createSandboxTenant request"]?.fields ?? {};

  it("names exactly the local origins that every tenant has", () => {
    const named = String(options.origins);
    const hosts = [...named.matchAll(/`(http:[^`]*)`/g)].map(([, host]) => host);
    const ports = named.match(/\d{4}/g) ?? [];
    expect(hosts.flatMap((host) => ports.map((port) => `${host}:${port}`))).toEqual(LOCAL_ORIGINS);
  });

  it("states the limits of keys without an account, and the commission by default", () => {
    const { description } = sandboxEndpoints.createSandboxTenant;
    expect(description).toContain(`${TENANTS_OF_HOLDER_PER_HOUR} an hour and ${TENANTS_OF_HOLDER} a month`);
    expect(options.commission_percentage).toContain(`By default ${COMMISSION_PERCENTAGE}.`);
  });
});
