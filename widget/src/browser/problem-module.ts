import { ProblemPage } from "../problem-page.tsx";
import { checkoutModule } from "./checkout-module.ts";

/* The page without a session, for the browser. As with the self-service pages, what it shares is a separate piece. */
export const problemModule = { ...checkoutModule, ProblemPage };
