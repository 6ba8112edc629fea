import { runService } from "./run-service.ts";

/*
 * The service, which calls the real outside parties. The program of staging, with a sandbox in their place, is bff/sandbox/main.ts.
 */

await runService(null);
