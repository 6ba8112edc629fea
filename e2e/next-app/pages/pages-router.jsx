import { Page } from "../src/page.jsx";

export default function ClinicPage() {
  return <Page />;
}
