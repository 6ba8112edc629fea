# Gets keys of the sandbox, without an account, and writes them to .env. Needs curl and perl: sh get-keys.sh
api=${ORDER_API:-https://ORDER_API}
field() { sed -E "s/.*\"$1\":\"?([^\",}]*).*/\1/"; }

given=$(curl -sS "$api/sandbox/keys/challenge")
challenge=$(echo "$given" | field challenge)
# The proof of work: a text with which the SHA-256 of `challenge.text` begins with so many zero bits.
solution=$(perl -MDigest::SHA=sha256 -e '
  my ($challenge, $bits, $number) = (@ARGV, 0);
  $number++ while unpack("N", sha256("$challenge.$number")) >> (32 - $bits);
  print $number;
' "$challenge" "$(echo "$given" | field bits)")

keys=$(curl -sS "$api/sandbox/keys" -H "Content-Type: application/json" -d "{
  \"challenge\": \"$challenge\",
  \"solution\": \"$solution\",
  \"origins\": [\"http://127.0.0.1:3000\", \"http://localhost:3000\"]
}")
umask 077
echo "PROVIDER_ID=$(echo "$keys" | field id)" > .env
for name in order_api spot_api widget_host client_id client_secret public_key secret_key webhook_secret; do
  echo "$(echo "$name" | tr a-z A-Z)=$(echo "$keys" | field "$name")" >> .env
done
echo "The keys are in .env, and live until $(echo "$keys" | field ends_at)."
