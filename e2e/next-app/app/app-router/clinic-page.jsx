"use client";

import { Page } from "../../src/page.jsx";

export function ClinicPage() {
  return <Page />;
}
