// node-redis and ioredis over TLS, with a certificate of their own:
// node tls.js LIBRARY HOST PORT CA CERT KEY
'use strict';
const fs = require('fs');
const { throttled, want, ok, run } = require('./session');

const [library, host, port, ...files] = process.argv.slice(2);
const [ca, cert, key] = files.map((file) => fs.readFileSync(file));

// open is what sends a command's words, and what ends it.
async function open() {
  if (library.includes('ioredis') || library === 'iovalkey') {
    const client = new (require(library))({ host, port: Number(port), tls: { ca, cert, key } });
    return [([command, ...args]) => client.call(command, ...args), () => client.quit()];
  }
  const client = require(library).createClient({ socket: { host, port: Number(port), tls: true, ca, cert, key } });
  await client.connect();
  return [(words) => client.sendCommand(words), () => client.quit()];
}

run(async () => {
  const [send, end] = await open();
  want('PING', await send(['PING']), 'PONG');
  want('CL.THROTTLE', await send(['CL.THROTTLE', `${library}`, '4', '10', '60']), throttled);
  const replies = await Promise.all(Array.from({ length: 1000 }, () => send(['FW.INCR', `pipe:${library}`, '600', 'year'])));
  want('limited of 1000', replies.filter((five) => five[0] === 1).length, 400);
  await end();
  ok('tls');
});
