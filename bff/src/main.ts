import { runService } from "./app/run-service.ts";

/* The service, with real gateways. The program for staging, which has a sandbox instead, is bff/sandbox/main.ts. */

await runService(null);
