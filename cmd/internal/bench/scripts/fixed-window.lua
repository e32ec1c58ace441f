-- KEYS[1] counter, ARGV: limit, window in seconds. Count, and let the first call set the end.
local count = redis.call('INCR', KEYS[1])
if count == 1 then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
end
if count > tonumber(ARGV[1]) then
  return {1, 0}
end
return {0, tonumber(ARGV[1]) - count}
