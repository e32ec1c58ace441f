<?php
// What the scripts in this folder share: what they send, how they compare it, and
// the server's restart in the middle.

const NAME = 'demo'; // of the connection
const BYTES = "bin\x00\r\n\xff"; // a key may be any bytes
const THROTTLED = [0, 5, 4, -1, 6]; // CL.THROTTLE key 4 10 60, the first time

// The calls of which we compare the reply's beginning: the time until a clock's
// window ends is left open.
const CALLS = [
    'TB.TAKE tb 10 1 4' => '[0,10,6,-1,4000]',
    'FW.INCR fw 100 1h' => '[0,100,99,-1,',
    'SW.HIT sw 100 60' => '[0,100,99,-1,',
    'SL.HIT sl 100 60' => '[0,100,99,-1,60000]',
    'LB.ADD lb 4 1' => '[0,5,4,-1,1000]',
    'GCRA gcra 4 10 60' => '[0,5,4,-1,6]',
    'CC.ACQUIRE cc 2 60 TOKEN t1' => '[0,2,1,-1,60000,"t1"]',
    'CC.RENEW cc t1 90s' => '1',
    'CC.RELEASE cc t1' => '1',
    'CC.ACQUIRE cc 2 0' => '[0,2,2,-1,0,', // the sixth is null, in phpredis false
    'RL.ALL {acct:7}:s TB.TAKE 10 10 AND {acct:7}:m SL.HIT 100 60' => '[0,', // the second likewise
];

function limiters(callable $send): void
{
    foreach (CALLS as $call => $beginning) {
        $reply = json_encode($send(...explode(' ', $call)));
        if (!str_starts_with($reply, $beginning)) {
            fail("$call answered $reply, want $beginning");
        }
    }
}

function want(string $what, mixed $got, mixed $expected): void
{
    if ($got !== $expected) {
        fail("$what: got " . json_encode($got) . ', want ' . json_encode($expected));
    }
}

function fail(string $message): never
{
    fwrite(STDERR, "$message\n");
    exit(1);
}

function ok(string $part): void
{
    echo "ok $part\n";
}

// restart waits until somebody has restarted the server and says so.
function restart(): void
{
    echo "ready for restart\n";
    fgets(STDIN);
}
