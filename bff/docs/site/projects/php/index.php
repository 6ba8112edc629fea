<?php

/* A clinic in PHP: its sales, their checkouts, webhooks and receipts. */

declare(strict_types=1);

require __DIR__ . '/Aapd.php';

$env = getenv() + parse_ini_file(__DIR__ . '/.env', false, INI_SCANNER_RAW);
$aapd = new Aapd(
    orderApi: $env['ORDER_API'],
    spotApi: $env['SPOT_API'],
    clientSecret: $env['CLIENT_SECRET'],
    publicKey: $env['PUBLIC_KEY'],
);

/** Use your database instead. */
function saleFile(string $id): string
{
    return __DIR__ . "/sales/$id.json";
}

function writeSale(string $id, array $sale): void
{
    if (!is_dir(__DIR__ . '/sales')) {
        mkdir(__DIR__ . '/sales', 0700);
    }
    file_put_contents(saleFile($id), json_encode($sale), LOCK_EX);
}

function readSale(string $id): ?array
{
    $isKnown = preg_match('/^[0-9a-f]{32}$/D', $id) === 1 && is_file(saleFile($id));
    return $isKnown ? json_decode(file_get_contents(saleFile($id)), true) : null;
}

function answer(int $status, ?array $body = null): never
{
    http_response_code($status);
    header('Content-Type: application/json');
    exit($body === null ? '' : json_encode($body));
}

function saleOr404(string $id): array
{
    return readSale($id) ?? answer(404);
}

/** The address of the sale's checkout. Each call mints a fresh one; the order is created once, by the sale's id. */
function startCheckout(Aapd $aapd, string $id): array
{
    $rut = saleOr404($id)['rut'];
    $customer = [
        'rut' => $rut,
        'first_name' => 'Camila',
        'last_name' => 'Rojas Fuentes',
        'email' => 'camila@example.com',
        'phone_number' => '+56912345678',
    ];
    $order = $aapd->createOrder(['reference' => $id, 'total_amount' => 45952, 'customer' => $customer], $id);
    return ['url' => $aapd->mintWidgetToken(['order_token' => $order['hash'], 'rut' => $rut])['url']];
}

/**
 * After order.paid it submits the receipt. If that fails, the answer is 500, and the webhook comes again. A repeated
 * event changes nothing: an order has one receipt.
 */
function receiveWebhook(Aapd $aapd, string $rawBody, string $secret): void
{
    $event = Aapd::verifyWebhook($rawBody, getallheaders(), $secret);
    $sale = $event === null ? null : readSale($event['reference']);
    if ($sale === null || $event['event'] !== 'order.paid') {
        return;
    }
    $files = [['boleta.pdf', file_get_contents(__DIR__ . '/boleta.pdf'), 'application/pdf']];
    $sent = $aapd->submitReceipt($sale['rut'], $event['order_hash'], $files);
    writeSale($event['reference'], ['status' => 'paid', 'receipt' => $sent['status']] + $sale);
}

$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$isPost = $_SERVER['REQUEST_METHOD'] === 'POST';
$types = ['index.html' => 'text/html; charset=utf-8', 'checkout.js' => 'text/javascript', 'sales.js' => 'text/javascript'];
$file = $path === '/' ? 'index.html' : ltrim($path, '/');

try {
    if (isset($types[$file])) {
        $host = $env['WIDGET_HOST'];
        header("Content-Type: $types[$file]");
        header("Content-Security-Policy: default-src 'self'; script-src 'self' $host; frame-src $host");
        readfile(__DIR__ . "/public/$file");
    } elseif ($path === '/webhooks' && $isPost) {
        // The signature is over the bytes as they came: no JSON parser before.
        receiveWebhook($aapd, file_get_contents('php://input'), $env['WEBHOOK_SECRET']);
        answer(204);
    } elseif ($path === '/sales' && $isPost) {
        // Your own program knows who the patient is.
        $rut = json_decode(file_get_contents('php://input'), true)['rut'];
        $id = bin2hex(random_bytes(16));
        writeSale($id, ['rut' => $rut, 'status' => 'pending', 'receipt' => null]);
        answer(200, ['id' => $id]);
    } elseif (preg_match('~^/sales/(\w+)/checkout$~', $path, $found) === 1 && $isPost) {
        answer(200, startCheckout($aapd, $found[1]));
    } elseif (preg_match('~^/sales/(\w+)$~', $path, $found) === 1) {
        ['status' => $status, 'receipt' => $receipt] = saleOr404($found[1]);
        answer(200, ['status' => $status, 'receipt' => $receipt]);
    } else {
        answer(404);
    }
} catch (WebhookRefused $error) {
    error_log($error->getMessage());
    answer(401);
} catch (AapdError | AapdUnreachable $error) {
    error_log($error->getMessage());
    answer($error instanceof AapdError && $error->errorCode === 'validation_error' ? 422 : 500);
}
