import { useEffect, useState, version } from "react";
// The sample of the guide, as printed.
import { PayLater } from "./pay-later.jsx";

/** A page that opens and closes the checkout. The test passes the addresses in the fragment, which no server sees. */
export function Page() {
  const [urls, setUrls] = useState([]);
  const [sale, setSale] = useState(null);
  const [errors, setErrors] = useState([]);
  useEffect(() => setUrls(location.hash.slice(1).split(",").filter(Boolean).map(decodeURIComponent)), []);
  return (
    <main>
      <h1>React {version}</h1>
      {urls.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a sale is its place in the fragment.
        <button key={index} type="button" onClick={() => setSale(index)}>
          Sale {index + 1}
        </button>
      ))}
      <button type="button" onClick={() => setSale(null)}>
        Close
      </button>
      <section aria-label="Checkout">
        {sale === null ? null : (
          <PayLater order={sale} url={urls[sale]} onError={(error) => setErrors((before) => [...before, error])} />
        )}
      </section>
      <output>{JSON.stringify(errors)}</output>
    </main>
  );
}
