/*
 * The sandbox as a program: its keys, clock, messages, events and scenarios. `aapd-dev` and the fixtures of `@aapd/e2e`
 * are built on it.
 */
// biome-ignore-start lint/performance/noBarrelFile: this is a public entry of the package, not a shortcut inside it.
export { readEvents } from "./dev/forward-events.ts";
export { getKeys } from "./dev/get-keys.ts";
export { keysOfVariables, type SandboxKeys, variablesOf } from "./dev/keys.ts";
export { newTenant } from "./dev/new-tenant.ts";
export { clientOf, openOrder, type Played, playScenario } from "./dev/play-scenario.ts";
export { readMail, type SentMessages } from "./dev/read-mail.ts";
export { moveClock, readClock } from "./dev/sandbox-clock.ts";
export { findScenario, SCENARIOS, type ScenarioName } from "./dev/scenarios.ts";
// biome-ignore-end lint/performance/noBarrelFile: this is a public entry of the package, not a shortcut inside it.
