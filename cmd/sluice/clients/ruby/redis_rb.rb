# redis-rb: ruby redis_rb.rb resp2|resp3|cluster HOST PORT
require "redis"

NAME = "demo" # of the connection
BINARY = "bin\x00\r\n\xff".b # a key may be any bytes
THROTTLED = [0, 5, 4, -1, 6] # CL.THROTTLE key 4 10 60, the first time

# The calls of which we compare the reply's beginning: the time until a clock's
# window ends is left open.
CALLS = {
  "TB.TAKE tb 10 1 4" => "[0, 10, 6, -1, 4000]",
  "FW.INCR fw 100 1h" => "[0, 100, 99, -1, ",
  "SW.HIT sw 100 60" => "[0, 100, 99, -1, ",
  "SL.HIT sl 100 60" => "[0, 100, 99, -1, 60000]",
  "LB.ADD lb 4 1" => "[0, 5, 4, -1, 1000]",
  "GCRA gcra 4 10 60" => "[0, 5, 4, -1, 6]",
  "CC.ACQUIRE cc 2 60 TOKEN t1" => '[0, 2, 1, -1, 60000, "t1"]',
  "CC.RENEW cc t1 90s" => "1",
  "CC.RELEASE cc t1" => "1",
  "CC.ACQUIRE cc 2 0" => "[0, 2, 2, -1, 0, nil]",
  "RL.ALL {acct:7}:s TB.TAKE 10 10 AND {acct:7}:m SL.HIT 100 60" =>
    "[0, nil, -1, [0, 10, 9, -1, 100], [0, 100, 99, -1, 60000]]",
}

def want(what, got, expected)
  abort "#{what}: got #{got.inspect}, want #{expected.inspect}" unless got == expected
end

def ok(part)
  puts "ok #{part}"
end

$stdout.sync = true
mode, host, port = ARGV
puts "version #{Redis::VERSION}"
client =
  if mode == "cluster"
    Redis.new(cluster: ["redis://#{host}:#{port}"], id: NAME)
  else
    Redis.new(host: host, port: port.to_i, db: 3, id: NAME)
  end
want "the connection's name", client.call("CLIENT", "GETNAME"), NAME
ok "connect"

want "CL.THROTTLE", client.call("CL.THROTTLE", "user:42", 4, 10, 60), THROTTLED
CALLS.each do |line, beginning|
  reply = client.call(*line.split).inspect
  abort "#{line} answered #{reply}, want #{beginning}" unless reply.start_with?(beginning)
end
ok "limiters"

replies = client.pipelined do |pipeline|
  1000.times { pipeline.call("FW.INCR", "pipe", 600, "year") }
end
want "limited of 1000", replies.sum(&:first), 400
ok "pipeline"

replies = client.multi do |transaction|
  transaction.call("CL.THROTTLE", "{tx}:a", 4, 10, 60)
  transaction.call("TB.TAKE", "{tx}:b", 10, 1)
end
want "MULTI … EXEC", replies, [THROTTLED, [0, 10, 9, -1, 1000]]
ok "transaction"

begin
  abort "TB.TAKE on a CL.THROTTLE key answered #{client.call("TB.TAKE", "user:42", 10, 1)}"
rescue Redis::CommandError => error
  abort "not the error we wanted: #{error.message}" unless error.message.start_with?("WRONGTYPE")
end
ok "error"

want "CL.THROTTLE with a binary key", client.call("CL.THROTTLE", BINARY, 4, 10, 60), THROTTLED
want "EXISTS of a binary key", client.exists(BINARY), 1
ok "binary"

puts "ready for restart"
$stdin.gets
# redis-rb dials anew and sends again by itself.
want "CL.THROTTLE after a restart", client.call("CL.THROTTLE", "after:restart", 4, 10, 60), THROTTLED
want "the connection's name after a restart", client.call("CLIENT", "GETNAME"), NAME
ok "restart"
