-- A person's tries that count, read once this transaction is the only one that counts them. It is a function because each of
-- its statements sees what was committed before that statement: a plain statement would see what was there when it began to
-- wait. The lock is held to the end of the transaction, so that whoever writes a try down in the same statement is counted.
create function identity_tries_alone(
  lock_class int,
  person text,
  rut_hashes text[],
  since timestamptz,
  asked_since timestamptz
) returns timestamptz[]
language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(lock_class, hashtext(person));
  return array(
    select asked_at from identity_checks
    where rut_hash = any(rut_hashes) and asked_at > since
      and (outcome in ('no_match', 'document_not_valid') or (outcome = 'asked' and asked_at > asked_since))
  );
end
$$;
