-- One link per paid order, which every mail about it carries: the page on which the patient follows the payment. Its
-- token is kept sealed, because it is sent again and again, until the page ends. The version before marks it as used
-- with the other links of a collected order, which ends nothing.
alter table widget_tokens
  add column sealed_token text,
  drop constraint widget_tokens_purpose,
  add constraint widget_tokens_purpose check (purpose in
    ('checkout', 'onboarding', 'insurer_access', 'card_change', 'pay_early', 'my_data', 'objection', 'payment')) not valid,
  add constraint widget_tokens_payment check (case when purpose = 'payment'
    then order_id is not null and (sealed_token is not null or used_at is not null)
    else sealed_token is null end) not valid;
