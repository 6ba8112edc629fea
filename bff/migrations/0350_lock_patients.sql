-- Locks a patient's record and returns it with its mailbox; null if there is none. These are functions because each of their
-- statements sees what was committed before that statement: a plain statement that waits for a lock would return the joined
-- mailbox as it was before the wait.
create function lock_beneficiary(of_tenant text, of_rut text) returns json language plpgsql volatile as $$
begin
  perform from beneficiaries where tenant = of_tenant and rut = of_rut for update;
  if not found then
    return null;
  end if;
  return (
    select to_json(patient) from (
      select b.*, u.email from beneficiaries as b join users as u on u.id = b.user_id
      where b.tenant = of_tenant and b.rut = of_rut
    ) as patient
  );
end
$$;

create function lock_beneficiary_by_id(of_id uuid) returns json language plpgsql volatile as $$
begin
  perform from beneficiaries where id = of_id for update;
  return (
    select to_json(patient) from (
      select b.*, u.email from beneficiaries as b join users as u on u.id = b.user_id where b.id = of_id
    ) as patient
  );
end
$$;

-- Locks a RUT, registered or not, and then its record.
create function lock_rut(lock_class int, of_tenant text, of_rut text) returns json language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock(lock_class, hashtext(of_tenant || ' ' || of_rut));
  return lock_beneficiary(of_tenant, of_rut);
end
$$;

-- Locks the newest registration for a RUT in one of these visits that may still be proved.
create function lock_unproven(of_visits text[], of_rut text, after_moment timestamptz) returns json language plpgsql volatile as $$
begin
  return lock_beneficiary_by_id((
    select id from beneficiaries
    where tenant = any(of_visits) and rut = of_rut and proof_until > after_moment
    order by updated_at desc limit 1
  ));
end
$$;
