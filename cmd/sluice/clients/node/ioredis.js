// ioredis 5 and 6, and iovalkey, which has the same interface:
// node ioredis.js ioredis5|ioredis6|iovalkey resp2|resp3|cluster HOST PORT
'use strict';
const { name, binary, throttled, limiters, want, wantRefused, ok, restart, printVersion, run } = require('./session');

const [library, mode, host, port] = process.argv.slice(2);
const Redis = require(library);
const { ReplyError } = Redis;

function open() {
  if (mode === 'cluster') {
    return new Redis.Cluster([{ host, port: Number(port) }], { redisOptions: { connectionName: name } });
  }
  return new Redis({ host, port: Number(port), db: 3, connectionName: name, protocol: mode === 'resp3' ? 3 : 2 });
}

run(async () => {
  printVersion(library);
  const client = open();
  client.on('error', () => {}); // a lost connection: it dials anew by itself
  const send = ([command, ...args]) => client.call(command, ...args);
  want("the connection's name", await send(['CLIENT', 'GETNAME']), name);
  ok('connect');

  want('CL.THROTTLE', await client.call('CL.THROTTLE', 'user:42', 4, 10, 60), throttled);
  await limiters(send);
  ok('limiters');

  const pipeline = client.pipeline();
  for (let i = 0; i < 1000; i++) pipeline.call('FW.INCR', 'pipe', 600, 'year');
  const replies = await pipeline.exec();
  want('limited of 1000', replies.filter(([error, five]) => error === null && five[0] === 1).length, 400);
  ok('pipeline');

  const transaction = await client.multi()
    .call('CL.THROTTLE', '{tx}:a', 4, 10, 60)
    .call('TB.TAKE', '{tx}:b', 10, 1)
    .exec();
  want('MULTI … EXEC', transaction, [[null, throttled], [null, [0, 10, 9, -1, 1000]]]);
  ok('transaction');

  await wantRefused(client.call('TB.TAKE', 'user:42', 10, 1), ReplyError);
  ok('error');

  want('CL.THROTTLE with a binary key', await client.call('CL.THROTTLE', binary, 4, 10, 60), throttled);
  want('EXISTS of a binary key', await client.exists(binary), 1);
  ok('binary');

  await restart();
  want('CL.THROTTLE after a restart', await client.call('CL.THROTTLE', 'after:restart', 4, 10, 60), throttled);
  want("the connection's name after a restart", await send(['CLIENT', 'GETNAME']), name);
  ok('restart');
});
