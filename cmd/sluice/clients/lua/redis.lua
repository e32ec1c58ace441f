-- redis-lua: lua5.1 redis.lua resp2 HOST PORT
package.path = '/usr/share/lua/5.1/?.lua;' .. package.path -- not this file
local redis = require 'redis'

local NAME = 'demo' -- of the connection
local BINARY = 'bin\0\r\n\255' -- a key may be any bytes
local THROTTLED = '0 5 4 -1 6' -- CL.THROTTLE key 4 10 60, the first time

-- The calls of which we compare the reply's beginning: the time until a clock's
-- window ends is left open.
local CALLS = {
  { 'TB.TAKE tb 10 1 4', '0 10 6 -1 4000' },
  { 'FW.INCR fw 100 1h', '0 100 99 -1 ' },
  { 'SW.HIT sw 100 60', '0 100 99 -1 ' },
  { 'SL.HIT sl 100 60', '0 100 99 -1 60000' },
  { 'LB.ADD lb 4 1', '0 5 4 -1 1000' },
  { 'GCRA gcra 4 10 60', '0 5 4 -1 6' },
  { 'CC.ACQUIRE cc 2 60 TOKEN t1', '0 2 1 -1 60000 t1' },
  { 'CC.RENEW cc t1 90s', '1' },
  { 'CC.RELEASE cc t1', '1' },
  { 'CC.RELEASE cc t1', '0' },
  { 'RL.ALL {acct:7}:s TB.TAKE 10 10 AND {acct:7}:m SL.HIT 100 60', '0 nil -1 (0 10 9 -1 100) (0 100 99 -1 60000)' },
}

-- redis-lua wants to be told of the commands it doesn't know.
for _, name in ipairs { 'CLIENT', 'CL.THROTTLE', 'TB.TAKE', 'FW.INCR', 'SW.HIT', 'SL.HIT', 'LB.ADD', 'GCRA',
  'CC.ACQUIRE', 'CC.RENEW', 'CC.RELEASE', 'RL.ALL' } do
  redis.commands[name] = redis.command(name)
end

-- text shows a reply, lists within it in brackets.
local function text(reply)
  if type(reply) ~= 'table' then return tostring(reply) end
  local words = {}
  for i = 1, table.maxn(reply) do
    words[i] = type(reply[i]) == 'table' and '(' .. text(reply[i]) .. ')' or tostring(reply[i])
  end
  return table.concat(words, ' ')
end

local function want(what, got, expected)
  got = text(got)
  assert(got == expected, what .. ': got ' .. got .. ', want ' .. expected)
end

local _, host, port = unpack(arg)
io.stdout:setvbuf('line')
print('version ' .. redis._VERSION:match('%d[%d.]*'))

local function connect()
  local client = redis.connect(host, port)
  client:select(3)
  client:CLIENT('SETNAME', NAME)
  return client
end

local client = connect()
want("the connection's name", client:CLIENT('GETNAME'), NAME)
print('ok connect')

want('CL.THROTTLE', client['CL.THROTTLE'](client, 'user:42', 4, 10, 60), THROTTLED)
for _, call in ipairs(CALLS) do
  local words = {}
  for word in call[1]:gmatch('%S+') do words[#words + 1] = word end
  local reply = text(client[words[1]](client, unpack(words, 2)))
  assert(reply:sub(1, #call[2]) == call[2], call[1] .. ' answered ' .. reply .. ', want ' .. call[2])
end
print('ok limiters')

local limited = 0
local replies = client:pipeline(function(p)
  for _ = 1, 1000 do p['FW.INCR'](p, 'pipe', 600, 'year') end
end)
for _, reply in ipairs(replies) do limited = limited + reply[1] end
want('limited of 1000', limited, '400')
print('ok pipeline')

replies = client:transaction(function(t)
  t['CL.THROTTLE'](t, '{tx}:a', 4, 10, 60)
  t['TB.TAKE'](t, '{tx}:b', 10, 1)
end)
want('MULTI ... EXEC', replies, '(' .. THROTTLED .. ') (0 10 9 -1 1000)')
print('ok transaction')

-- redis-lua raises an error, with a text.
local fine, message = pcall(client['TB.TAKE'], client, 'user:42', 10, 1)
assert(not fine and message:find('redis error: WRONGTYPE', 1, true), 'not the error we wanted: ' .. text(message))
print('ok error')

want('CL.THROTTLE with a binary key', client['CL.THROTTLE'](client, BINARY, 4, 10, 60), THROTTLED)
want('EXISTS of a binary key', client:exists(BINARY), 'true')
print('ok binary')

print('ready for restart')
io.read()
if not pcall(client.ping, client) then client = connect() end
want('CL.THROTTLE after a restart', client['CL.THROTTLE'](client, 'after:restart', 4, 10, 60), THROTTLED)
print('ok restart')
