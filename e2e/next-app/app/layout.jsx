export const metadata = { title: "A clinic's page in Next.js" };

export default function Layout({ children }) {
  return (
    <html lang="es-CL">
      <body>{children}</body>
    </html>
  );
}
