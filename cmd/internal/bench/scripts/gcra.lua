-- KEYS[1] arrival time, ARGV: burst, calls, period in seconds. One number, kept as long as it matters.
local burst, interval = tonumber(ARGV[1]), tonumber(ARGV[3]) / tonumber(ARGV[2])
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local tat = math.max(now, tonumber(redis.call('GET', KEYS[1])) or now)
local new = tat + interval
local ahead = now - (new - burst * interval)
if ahead < 0 then
  return {1, 0, tostring(-ahead), tostring(tat - now)}
end
redis.call('SET', KEYS[1], string.format('%.6f', new), 'EX', math.ceil(new - now))
return {0, math.floor(ahead / interval), '-1', tostring(new - now)}
