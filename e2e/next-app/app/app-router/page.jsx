import { ClinicPage } from "./clinic-page.jsx";

export default function ServerPage() {
  return <ClinicPage />;
}
