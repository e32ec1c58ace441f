// valkey-glide: node valkey-glide.js @valkey/valkey-glide resp2|resp3|cluster HOST PORT
'use strict';
const { name, binary, throttled, limiters, want, wantRefused, ok, restart, printVersion, run } = require('./session');

const [library, mode, host, port] = process.argv.slice(2);
const { GlideClient, GlideClusterClient, Batch, ClusterBatch, RequestError, ProtocolVersion, Logger } = require(library);

function open() {
  const options = { addresses: [{ host, port: Number(port) }], clientName: name, requestTimeout: 5000 };
  if (mode === 'cluster') return GlideClusterClient.createClient(options);
  const protocol = mode === 'resp3' ? ProtocolVersion.RESP3 : ProtocolVersion.RESP2;
  return GlideClient.createClient({ ...options, databaseId: 3, protocol });
}

const newBatch = (atomic) => (mode === 'cluster' ? new ClusterBatch(atomic) : new Batch(atomic));

Logger.setLoggerConfig('off'); // it writes to stdout

run(async () => {
  printVersion(library);
  const client = await open();
  const send = (words) => client.customCommand(words);
  want("the connection's name", await client.clientGetName(), name);
  ok('connect');

  want('CL.THROTTLE', await send(['CL.THROTTLE', 'user:42', '4', '10', '60']), throttled);
  await limiters(send);
  ok('limiters');

  const pipeline = newBatch(false);
  for (let i = 0; i < 1000; i++) pipeline.customCommand(['FW.INCR', 'pipe', '600', 'year']);
  const replies = await client.exec(pipeline, true);
  want('limited of 1000', replies.filter(([limited]) => limited === 1).length, 400);
  ok('pipeline');

  const transaction = newBatch(true)
    .customCommand(['CL.THROTTLE', '{tx}:a', '4', '10', '60'])
    .customCommand(['TB.TAKE', '{tx}:b', '10', '1']);
  want('MULTI … EXEC', await client.exec(transaction, true), [throttled, [0, 10, 9, -1, 1000]]);
  ok('transaction');

  await wantRefused(send(['TB.TAKE', 'user:42', '10', '1']), RequestError);
  ok('error');

  want('CL.THROTTLE with a binary key', await send(['CL.THROTTLE', binary, '4', '10', '60']), throttled);
  want('EXISTS of a binary key', await client.exists([binary]), 1);
  ok('binary');

  await restart();
  want('CL.THROTTLE after a restart', await retried(() => send(['CL.THROTTLE', 'after:restart', '4', '10', '60'])), throttled);
  want("the connection's name after a restart", await client.clientGetName(), name);
  ok('restart');
  client.close();
});

// Calls that meet the lost connection fail; glide dials anew meanwhile.
async function retried(call) {
  for (let i = 0; ; i++) {
    try {
      return await call();
    } catch (error) {
      if (i === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
