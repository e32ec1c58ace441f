<?php
// Predis: php predis.php resp2 HOST PORT
require 'Predis/Autoloader.php';
require __DIR__ . '/session.php';

Predis\Autoloader::register();
[, , $host, $port] = $argv;

echo 'version ', Predis\Client::VERSION, "\n";
$client = new Predis\Client(['host' => $host, 'port' => (int) $port, 'database' => 3]);
$send = fn (string ...$words) => $client->executeRaw($words);
$client->client('SETNAME', NAME);
want("the connection's name", $client->client('GETNAME'), NAME);
ok('connect');

want('CL.THROTTLE', $send('CL.THROTTLE', 'user:42', '4', '10', '60'), THROTTLED);
limiters($send);
ok('limiters');

// Pipelines and transactions take commands, which a class each describes.
class FwIncr extends Predis\Command\Command { public function getId() { return 'FW.INCR'; } }
class ClThrottle extends Predis\Command\Command { public function getId() { return 'CL.THROTTLE'; } }
class TbTake extends Predis\Command\Command { public function getId() { return 'TB.TAKE'; } }
foreach ([FwIncr::class, ClThrottle::class, TbTake::class] as $class) {
    $client->getProfile()->defineCommand($class, $class);
}

$replies = $client->pipeline(function ($pipeline) {
    for ($i = 0; $i < 1000; $i++) {
        $pipeline->fwIncr('pipe', 600, 'year');
    }
});
want('limited of 1000', array_sum(array_column($replies, 0)), 400);
ok('pipeline');

$replies = $client->transaction(function ($tx) {
    $tx->clThrottle('{tx}:a', 4, 10, 60);
    $tx->tbTake('{tx}:b', 10, 1);
});
want('MULTI … EXEC', $replies, [THROTTLED, [0, 10, 9, -1, 1000]]);
ok('transaction');

try {
    $client->tbTake('user:42', 10, 1);
    fail('TB.TAKE on a CL.THROTTLE key succeeded');
} catch (Predis\Response\ServerException $error) {
    want('the error', $error->getErrorType(), 'WRONGTYPE');
}
ok('error');

want('CL.THROTTLE with a binary key', $client->clThrottle(BYTES, 4, 10, 60), THROTTLED);
want('EXISTS of a binary key', $client->exists(BYTES), 1);
ok('binary');

restart();
try { // the first call finds the connection dead
    $client->ping();
} catch (Predis\Connection\ConnectionException $error) {
    $client->disconnect();
}
want('CL.THROTTLE after a restart', $client->clThrottle('after:restart', 4, 10, 60), THROTTLED);
ok('restart');
