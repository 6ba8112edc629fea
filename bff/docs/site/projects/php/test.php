<?php

/* php test.php: the routes, with the sandbox. In the browser, see README.md. */

declare(strict_types=1);

$secret = parse_ini_file(__DIR__ . '/.env', false, INI_SCANNER_RAW)['WEBHOOK_SECRET'];
$probe = stream_socket_server('tcp://127.0.0.1:0');
$own = 'http://' . stream_socket_get_name($probe, false);
fclose($probe);
$quiet = ['file', '/dev/null', 'w'];
$server = proc_open(['php', '-S', substr($own, 7), 'index.php'], [1 => $quiet, 2 => $quiet], $pipes, __DIR__);
register_shutdown_function(static fn () => proc_terminate($server));

/** @return array{int, mixed} */
function request(string $method, string $url, string $body = '', array $headers = []): array
{
    $http = ['method' => $method, 'content' => $body, 'header' => $headers, 'ignore_errors' => true];
    $text = @file_get_contents($url, false, stream_context_create(['http' => $http]));
    return [(int) explode(' ', $http_response_header[0] ?? 'none 0')[1], json_decode((string) $text, true)];
}

function signed(string $body, string $secret): array
{
    $sentAt = (string) time();
    $key = base64_decode(substr($secret, strlen('whsec_')));
    $signature = base64_encode(hash_hmac('sha256', "e1.$sentAt.$body", $key, true));
    return ['webhook-id: e1', "webhook-timestamp: $sentAt", "webhook-signature: v1,$signature"];
}

function check(string $what, mixed $found, mixed $expected): void
{
    $isSame = $found === $expected;
    echo ($isSame ? '✓' : '✗') . " $what\n";
    $isSame ?: exit('found ' . json_encode($found) . ', expected ' . json_encode($expected) . "\n");
}

for ($tries = 0; $tries < 100 && request('GET', $own)[0] !== 200; $tries += 1) {
    usleep(50_000);
}
['id' => $id] = request('POST', "$own/sales", '{"rut": "40.100.000-3"}')[1];
['url' => $url] = request('POST', "$own/sales/$id/checkout")[1];
check('a sale gets a checkout', request('GET', $url)[0], 200);
$event = ['event_id' => 'e1', 'event' => 'order.paid', 'order_hash' => 'h', 'reference' => 'unknown'];
$body = json_encode($event);
$forged = signed($body, 'whsec_' . base64_encode(str_repeat('x', 32)));
check('a forged webhook is refused', request('POST', "$own/webhooks", $body, $forged)[0], 401);
check('a genuine one is taken', request('POST', "$own/webhooks", $body, signed($body, $secret))[0], 204);
check('the sale is pending', request('GET', "$own/sales/$id")[1], ['status' => 'pending', 'receipt' => null]);
['id' => $wrong] = request('POST', "$own/sales", '{"rut": "11.111.111-2"}')[1];
check('a wrong RUT is named', request('POST', "$own/sales/$wrong/checkout")[0], 422);
