import { ProblemPage } from "../problem-page.tsx";
import { checkoutModule } from "./checkout-module.ts";

/* The page without a session, for the browser. As with the self-service pages, shared code is a separate chunk. */
export const problemModule = { ...checkoutModule, ProblemPage };
