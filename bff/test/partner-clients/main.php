<?php

/** Runs the calls of standard input with the client, and prints each one's outcome. */

require getenv('CLIENTS') . '/Aapd.php';

$given = json_decode(stream_get_contents(STDIN), true);
$waits = [];
$seen = [];
$camel = static fn (string $name) => lcfirst(str_replace('_', '', ucwords($name, '_')));
$named = static fn (array $args) => array_combine(array_map($camel, array_keys($args)), $args);
$remember = static function (string $jti) use (&$seen): bool {
    $isNew = !in_array($jti, $seen, true);
    $seen[] = $jti;
    return $isNew;
};

$run = static function (string $call, array $args) use ($given, $camel, $named, $remember, &$waits) {
    if ($call === 'calls') {
        return Aapd::CALLS;
    }
    $args = $named($args);
    if ($call === 'verify_webhook') {
        return Aapd::verifyWebhook(...['rawBody' => base64_decode($args['rawBody'])] + $args);
    }
    if ($call === 'check_receipt') {
        return Aapd::checkReceipt(...$args, remember: $remember);
    }
    if ($call === 'submit_receipt') {
        $args['files'] = array_map(static fn ($file) => [$file[0], base64_decode($file[1]), $file[2]], $args['files']);
    }
    $wait = static function (float $seconds) use (&$waits): void {
        $waits[] = $seconds;
    };
    return (new Aapd(...$named($given['options']), wait: $wait))->{$camel($call)}(...$args);
};

$outcomes = [];
foreach ($given['calls'] as [$call, $args]) {
    try {
        $outcomes[] = ['answer' => $run($call, $args)];
    } catch (Throwable $error) {
        $facts = [
            'status' => $error->status ?? null,
            'code' => $error->errorCode ?? null,
            'request_id' => $error->requestId ?? null,
            'idempotency_key' => $error->idempotencyKey ?? null,
        ];
        $outcomes[] = ['error' => ['type' => get_class($error), 'message' => $error->getMessage()] + $facts];
    }
}
echo json_encode(['outcomes' => $outcomes, 'waits' => $waits]);
