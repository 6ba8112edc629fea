import { checkContainer } from "./app/check-health.ts";

/* The health check of a container: `node check-health.js <readiness> <liveness> <the service's program>`. */

const [ready = "", alive = "", program = ""] = process.argv.slice(2);
process.exitCode = (await checkContainer({ ready, alive, program })) ? 0 : 1;
