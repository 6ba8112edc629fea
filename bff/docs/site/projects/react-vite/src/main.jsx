import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { PayPage } from "./pay-page.jsx";

createRoot(document.getElementById("root")).render(
  <StrictMode>
    <PayPage />
  </StrictMode>,
);
