<?php

/* The back end of somebody who has begun today, in PHP and with what the guide says: no package at all. */

/** What is kept of the one sale; the server of PHP answers each request anew. */
function sale(array $more = []): array
{
    $file = __DIR__ . '/sale.json';
    $kept = is_file($file) ? json_decode(file_get_contents($file), true) : ['hash' => '', 'rut' => '', 'webhook' => '', 'expense' => ''];
    $sale = array_merge($kept, $more);
    if ($more !== []) {
        file_put_contents($file, json_encode($sale), LOCK_EX);
    }
    return $sale;
}

function call(string $url, array $headers, string $body): array
{
    $options = ['method' => 'POST', 'header' => implode("\r\n", $headers), 'content' => $body, 'timeout' => 60];
    $answer = file_get_contents($url, false, stream_context_create(['http' => $options]));
    if ($answer === false) {
        throw new RuntimeException("$url was refused");
    }
    return json_decode($answer, true);
}

function start_checkout(string $rut): array
{
    sale(['rut' => $rut]);
    $digits = preg_replace('/\D/', '', $rut);
    $order = [
        'reference' => "venta-$digits",
        'total_amount' => 45952,
        'customer' => [
            'rut' => $rut,
            'first_name' => 'Camila',
            'last_name' => 'Rojas Fuentes',
            'email' => "camila.$digits@example.com",
            'phone_number' => '+56912345678',
        ],
    ];
    $json = 'Content-Type: application/json';
    $created = call(
        getenv('ORDER_API') . '/orders',
        [$json, 'Authorization: Bearer ' . getenv('CLIENT_SECRET'), "Idempotency-Key: venta-$digits"],
        json_encode($order)
    );
    sale(['hash' => $created['hash']]);
    $mint = json_encode(['order_token' => $created['hash'], 'rut' => $rut]);
    return call(getenv('SPOT_API') . '/api/spot/widget?public_key=' . getenv('PUBLIC_KEY'), [$json], $mint);
}

function is_genuine(string $rawBody, ?string $signature, string $webhookSecret): bool
{
    $expected = 'sha256=' . hash_hmac('sha256', $rawBody, $webhookSecret);
    return hash_equals($expected, $signature ?? '');
}

function submit_receipt(string $hash): string
{
    $boundary = bin2hex(random_bytes(16));
    $body = "--$boundary\r\nContent-Disposition: form-data; name=\"skip_pay_order_id\"\r\n\r\n$hash\r\n"
        . "--$boundary\r\nContent-Disposition: form-data; name=\"uploaded_files\"; filename=\"boleta.pdf\"\r\n"
        . "Content-Type: application/pdf\r\n\r\n%PDF-1.4\n% boleta\n%%EOF\n\r\n--$boundary--\r\n";
    $query = http_build_query(['public_key' => getenv('PUBLIC_KEY'), 'rut' => sale()['rut']]);
    $headers = ["Content-Type: multipart/form-data; boundary=$boundary"];
    return call(getenv('SPOT_API') . "/api/spot/gastos?$query", $headers, $body)['status'];
}

function answer(int $status, string $body = '', string $type = 'application/json'): void
{
    http_response_code($status);
    header("Content-Type: $type");
    echo $body;
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$rawBody = file_get_contents('php://input');
$files = ['/' => ['index.html', 'text/html; charset=utf-8'], '/checkout.js' => ['checkout.js', 'text/javascript']];

if (isset($files[$path])) {
    $text = file_get_contents(__DIR__ . '/' . $files[$path][0]);
    answer(200, str_replace('https://WIDGET_HOST', getenv('WIDGET_HOST'), $text), $files[$path][1]);
} elseif ($path === '/sale') {
    answer(200, json_encode(sale()));
} elseif ($path === '/checkout') {
    answer(200, json_encode(start_checkout(json_decode($rawBody, true)['rut'])));
} elseif ($path !== '/webhooks') {
    answer(404);
} elseif (!is_genuine($rawBody, $_SERVER['HTTP_X_SERVICE_SIGNATURE'] ?? null, getenv('WEBHOOK_SECRET'))) {
    answer(401);
} else {
    $event = json_decode($rawBody, true);
    if ($event['event'] === 'order.paid') {
        sale(['expense' => submit_receipt($event['order_hash']), 'webhook' => $event['event']]);
    }
    answer(204);
}
