import { PayPage } from "../src/pay-page.jsx";

export default function Page() {
  return <PayPage />;
}
