-- The samples for staging name who bears the stamp tax. The version before leaves the placeholder as it is.
insert into legal_texts (environment, kind, version, locale, set_at, text) values
('staging', 'contract', 'muestra-3', 'es-CL', '2026-01-03T00:00:00Z', $text$
# Contrato de pago en dos partes

Texto de muestra para pruebas. No es un contrato válido.

## Quiénes somos parte

{{clinic}}, RUT {{clinic_rut}}, te da la atención de salud y responde por ella.

{{financing_provider}}, RUT 96.900.004-0, te presta la parte que pagas después. Contacto: creditos@financiera.example.com.

Tú eres {{patient}}, RUT {{patient_rut}}.

## Qué pagas y cuándo

- Precio de la atención (referencia {{reference}}): {{price}}.
- Hoy, con tu tarjeta: {{today}}, el {{first_percentage}}% del precio.
- Después, con la misma tarjeta: {{later_charge}}, que son {{later}} del precio y {{commission}} de comisión ({{commission_percentage}} del precio).
- Comisión: {{commission_detail}}
- Costo total: {{total_cost}}. Carga anual equivalente (CAE): {{annual_cost}}.
- {{stamp_tax}}

El segundo cobro se hace una sola vez, cuando pase lo primero de esto: tu isapre aprueba el reembolso; el acceso a tu isapre lleva {{access_blocked_days}} días seguidos bloqueado; llega el día {{latest_day}}, que es el {{latest_date}}. Se hace aunque tu isapre reembolse menos o no reembolse.

## Autorización para cobrar

Nos autorizas a guardar tu tarjeta y a hacer en ella ese solo cobro. Puedes dejar sin efecto esta autorización cuando quieras en Mis datos. La deuda sigue y puedes pagarla de otra forma.

## Si pagas antes o después

Puedes pagar antes cuando quieras: la comisión es la misma. Si tu banco rechaza el segundo cobro, lo intentamos hasta {{charge_tries}} veces en {{charge_days}} días y te avisamos cada vez. El monto no sube por el atraso.

## Reclamos

Escribe a {{support_email}}. También puedes reclamar ante el Servicio Nacional del Consumidor (SERNAC), en sernac.cl o al 800 700 100.
$text$),
('staging', 'contract', 'muestra-3', 'en', '2026-01-03T00:00:00Z', $text$
# Contract for payment in two parts

Sample text for tests. It is not a valid contract.

## The parties

{{clinic}}, RUT {{clinic_rut}}, gives you the consultation and is responsible for it.

{{financing_provider}}, RUT 96.900.004-0, lends you the part that you pay later. Contact: creditos@financiera.example.com.

You are {{patient}}, RUT {{patient_rut}}.

## What you pay, and when

- Price of the consultation (reference {{reference}}): {{price}}.
- Today, with your card: {{today}}, which is {{first_percentage}}% of the price.
- Later, with the same card: {{later_charge}}, which is {{later}} of the price and a fee of {{commission}} ({{commission_percentage}} of the price).
- Fee: {{commission_detail}}
- Total cost: {{total_cost}}. Annual cost (CAE): {{annual_cost}}.
- {{stamp_tax}}

The second charge is made once, when the first of these happens: your isapre (private health insurer) approves the reimbursement; access to your isapre has been blocked for {{access_blocked_days}} days in a row; day {{latest_day}} comes, which is {{latest_date}}. It is made even if your isapre reimburses less, or nothing.

## Authorization to charge

You allow us to keep your card and to make that one charge to it. You can revoke this at any time in My data. You still owe the amount, and can pay it in another way.

## If you pay earlier or later

You can pay earlier at any time: the fee is the same. If your bank declines the second charge, we try up to {{charge_tries}} times in {{charge_days}} days and tell you each time. The amount does not grow if the payment is late.

## Complaints

Write to {{support_email}}. You can also complain to the national consumer service (SERNAC), at sernac.cl or 800 700 100.
$text$),
('staging', 'summary_sheet', 'muestra-3', 'es-CL', '2026-01-03T00:00:00Z', $text$
# Hoja de resumen

Texto de muestra para pruebas.

- Crédito: {{later}}, que te presta {{financing_provider}}.
- Plazo: {{latest_day}} días como máximo.
- Una sola cuota: {{later_charge}}, a más tardar el {{latest_date}}.
- Costo del crédito: {{commission}} de comisión ({{commission_percentage}} del precio de la atención), incluida en la cuota. {{commission_detail}}
- Carga anual equivalente (CAE): {{annual_cost}}.
- {{stamp_tax}}
- Todo lo que pagas, con los {{today}} de hoy: {{total_cost}}.
- Pago anticipado: cuando quieras, con la misma comisión.
- Atraso: el monto no sube. El cobro se intenta hasta {{charge_tries}} veces en {{charge_days}} días; si no resulta, sigues debiéndolo.
- Cotización del {{date}} para {{patient}}, RUT {{patient_rut}}.
$text$),
('staging', 'summary_sheet', 'muestra-3', 'en', '2026-01-03T00:00:00Z', $text$
# Summary sheet

Sample text for tests.

- Credit: {{later}}, lent by {{financing_provider}}.
- Term: {{latest_day}} days at most.
- One instalment: {{later_charge}}, on {{latest_date}} at the latest.
- Cost of the credit: a fee of {{commission}} ({{commission_percentage}} of the price of the consultation), included in the instalment. {{commission_detail}}
- Annual cost (CAE): {{annual_cost}}.
- {{stamp_tax}}
- Everything that you pay, with the {{today}} of today: {{total_cost}}.
- Early payment: at any time, with the same fee.
- Late payment: the amount does not grow. The charge is tried up to {{charge_tries}} times in {{charge_days}} days; if it fails, you still owe it.
- Quote of {{date}} for {{patient}}, RUT {{patient_rut}}.
$text$);
