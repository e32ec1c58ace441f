-- KEYS[1] sorted set of calls, ARGV: limit, window in seconds, a member's name. Exact; an entry a call.
local limit, window = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000000 + tonumber(time[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window * 1000000)
local count = redis.call('ZCARD', KEYS[1])
if count >= limit then
  return {1, 0}
end
redis.call('ZADD', KEYS[1], now, string.format('%.0f:%s', now, ARGV[3]))
redis.call('EXPIRE', KEYS[1], window)
return {0, limit - count - 1}
