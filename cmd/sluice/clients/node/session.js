// What the scripts in this folder share: what they send, how they compare it, and
// the server's restart in the middle.
'use strict';
const fs = require('fs');
const path = require('path');
const readline = require('readline');

const name = 'demo'; // of the connection
const binary = Buffer.from('bin\x00\r\n\xff', 'latin1'); // a key may be any bytes
const throttled = [0, 5, 4, -1, 6]; // CL.THROTTLE key 4 10 60, the first time

// The calls of which we compare the reply's beginning: the time until a clock's
// window ends is left open.
const calls = [
  ['TB.TAKE tb 10 1 4', '[0,10,6,-1,4000]'],
  ['FW.INCR fw 100 1h', '[0,100,99,-1,'],
  ['SW.HIT sw 100 60', '[0,100,99,-1,'],
  ['SL.HIT sl 100 60', '[0,100,99,-1,60000]'],
  ['LB.ADD lb 4 1', '[0,5,4,-1,1000]'],
  ['GCRA gcra 4 10 60', '[0,5,4,-1,6]'],
  ['CC.ACQUIRE cc 2 60 TOKEN t1', '[0,2,1,-1,60000,"t1"]'],
  ['CC.RENEW cc t1 90s', '1'],
  ['CC.RELEASE cc t1', '1'],
  ['CC.RELEASE cc t1', '0'],
  ['RL.ALL {acct:7}:s TB.TAKE 10 10 AND {acct:7}:m SL.HIT 100 60', '[0,null,-1,[0,10,9,-1,100],[0,100,99,-1,60000]]'],
];

async function limiters(send) {
  for (const [call, beginning] of calls) {
    const reply = JSON.stringify(await send(call.split(' ')));
    if (!reply.startsWith(beginning)) fail(`${call} answered ${reply}, want ${beginning}`);
  }
}

function want(what, got, expected) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(expected)];
  if (a !== b) fail(`${what}: got ${a}, want ${b}`);
}

// wantRefused checks that a call fails with the client's own kind of error.
async function wantRefused(call, ErrorReply) {
  try {
    fail(`TB.TAKE on a CL.THROTTLE key answered ${JSON.stringify(await call)}`);
  } catch (error) {
    if (!(error instanceof ErrorReply) || !error.message.includes('WRONGTYPE')) fail(`not the client's error: ${error.stack}`);
  }
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

const ok = (part) => console.log('ok', part);

// restart waits until somebody has restarted the server and says so.
function restart() {
  console.log('ready for restart');
  return new Promise((resolve) => {
    const input = readline.createInterface({ input: process.stdin });
    input.once('line', () => { input.close(); resolve(); });
  });
}

function printVersion(library) {
  const file = path.join(__dirname, 'node_modules', library, 'package.json');
  console.log('version', JSON.parse(fs.readFileSync(file)).version);
}

// run starts a script and ends the process, well or badly.
function run(main) {
  main().then(() => process.exit(0), (error) => fail(error.stack));
}

module.exports = { name, binary, throttled, limiters, want, wantRefused, ok, restart, printVersion, run };
