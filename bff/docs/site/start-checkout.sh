# Prints the answer to the second call: its url goes to your page.
order=$(curl -sS "$ORDER_API/orders" -H "Authorization: Bearer $CLIENT_SECRET" -H "Content-Type: application/json" \
  -H "Idempotency-Key: sale-1" -d '{
  "reference": "sale-1",
  "total_amount": 45952,
  "customer": {
    "rut": "40100000-3",
    "first_name": "Camila",
    "last_name": "Rojas Fuentes",
    "email": "camila@example.com",
    "phone_number": "+56912345678"
  }
}')
hash=$(echo "$order" | sed -E 's/.*"hash":"([^"]*)".*/\1/')
curl -sS "$SPOT_API/api/spot/widget?public_key=$PUBLIC_KEY" -H "Content-Type: application/json" \
  -d "{\"order_token\": \"$hash\", \"rut\": \"40100000-3\"}"
