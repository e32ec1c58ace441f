<?php
// phpredis, the extension: php phpredis.php resp2|cluster HOST PORT
require __DIR__ . '/session.php';

[, $mode, $host, $port] = $argv;

function connect(string $mode, string $host, int $port): Redis|RedisCluster
{
    if ($mode === 'cluster') {
        return new RedisCluster(null, ["$host:$port"]);
    }
    $client = new Redis();
    $client->connect($host, $port);
    $client->select(3);
    $client->client('setname', NAME);
    return $client;
}

echo 'version ', phpversion('redis'), "\n";
$client = connect($mode, $host, (int) $port);
// A cluster client wants to know the key, to choose the server.
$send = $mode === 'cluster'
    ? fn (string ...$words) => $client->rawCommand($words[1], ...$words)
    : fn (string ...$words) => $client->rawCommand(...$words);
if ($mode === 'cluster') {
    $client->client('any key', 'setname', NAME);
}
want("the connection's name", $mode === 'cluster' ? $client->client('any key', 'getname') : $client->client('getname'), NAME);
ok('connect');

want('CL.THROTTLE', $send('CL.THROTTLE', 'user:42', '4', '10', '60'), THROTTLED);
limiters($send);
ok('limiters');

if ($mode !== 'cluster') { // which has no pipelines
    $pipeline = $client->pipeline();
    for ($i = 0; $i < 1000; $i++) {
        $pipeline->rawCommand('FW.INCR', 'pipe', '600', 'year');
    }
    want('limited of 1000', array_sum(array_column($pipeline->exec(), 0)), 400);
    ok('pipeline');
}

$client->multi();
$send('CL.THROTTLE', '{tx}:a', '4', '10', '60');
$send('TB.TAKE', '{tx}:b', '10', '1');
want('MULTI … EXEC', $client->exec(), [THROTTLED, [0, 10, 9, -1, 1000]]);
ok('transaction');

// phpredis answers false, and keeps the error.
want('TB.TAKE on a CL.THROTTLE key', $send('TB.TAKE', 'user:42', '10', '1'), false);
if (!str_starts_with((string) $client->getLastError(), 'WRONGTYPE')) {
    fail('not the error we wanted: ' . $client->getLastError());
}
ok('error');

want('CL.THROTTLE with a binary key', $send('CL.THROTTLE', BYTES, '4', '10', '60'), THROTTLED);
want('EXISTS of a binary key', (int) $client->exists(BYTES), 1);
ok('binary');

restart();
// phpredis dials anew by itself, and selects the database; the name is ours to set.
want('CL.THROTTLE after a restart', $send('CL.THROTTLE', 'after:restart', '4', '10', '60'), THROTTLED);
ok('restart');
