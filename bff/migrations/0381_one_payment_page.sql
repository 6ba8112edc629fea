-- Concurrently: a paid order has one payment page. The version before makes none.
create unique index concurrently if not exists widget_tokens_one_payment_page on widget_tokens (provider_id, order_id)
  where purpose = 'payment';
