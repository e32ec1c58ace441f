// node-redis 4, 5 and 6: node node-redis.js redis4|redis5|redis6 resp2|resp3|cluster HOST PORT
'use strict';
const { name, binary, throttled, limiters, want, wantRefused, ok, restart, printVersion, run } = require('./session');

const [library, mode, host, port] = process.argv.slice(2);
const { createClient, createCluster, ErrorReply } = require(library);

function open() {
  if (mode === 'cluster') {
    return createCluster({ rootNodes: [{ socket: { host, port: Number(port) } }], defaults: { name } });
  }
  return createClient({ socket: { host, port: Number(port) }, name, database: 3, RESP: mode === 'resp3' ? 3 : 2 });
}

run(async () => {
  printVersion(library);
  const client = open();
  client.on('error', () => {}); // a lost connection: it dials anew by itself
  await client.connect();
  // A cluster client wants to know the key, and whether the call only reads.
  const send = mode === 'cluster'
    ? (words) => client.sendCommand(words[0] === 'CLIENT' ? undefined : words[1], false, words)
    : (words) => client.sendCommand(words);
  want("the connection's name", await send(['CLIENT', 'GETNAME']), name);
  ok('connect');

  want('CL.THROTTLE', await send(['CL.THROTTLE', 'user:42', '4', '10', '60']), throttled);
  await limiters(send);
  ok('limiters');

  // What is sent in one go travels as one pipeline.
  const replies = await Promise.all(Array.from({ length: 1000 }, () => send(['FW.INCR', 'pipe', '600', 'year'])));
  want('limited of 1000', replies.filter(([limited]) => limited === 1).length, 400);
  ok('pipeline');

  const multi = client.multi();
  const add = (words) => {
    if (mode !== 'cluster') multi.addCommand(words);
    else if (library === 'redis4') multi.addCommand(words[1], words);
    else multi.addCommand(words[1], false, words);
  };
  add(['CL.THROTTLE', '{tx}:a', '4', '10', '60']);
  add(['TB.TAKE', '{tx}:b', '10', '1']);
  want('MULTI … EXEC', await multi.exec(), [throttled, [0, 10, 9, -1, 1000]]);
  ok('transaction');

  await wantRefused(send(['TB.TAKE', 'user:42', '10', '1']), ErrorReply);
  ok('error');

  want('CL.THROTTLE with a binary key', await send(['CL.THROTTLE', binary, '4', '10', '60']), throttled);
  want('EXISTS of a binary key', await client.exists(binary), 1);
  ok('binary');

  await restart();
  want('CL.THROTTLE after a restart', await send(['CL.THROTTLE', 'after:restart', '4', '10', '60']), throttled);
  want("the connection's name after a restart", await send(['CLIENT', 'GETNAME']), name);
  ok('restart');
});
