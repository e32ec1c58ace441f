# Redis.pm: perl redis.pl resp2 HOST PORT
use strict;
use warnings;
use Redis;

my $NAME      = 'demo';               # of the connection
my $BINARY    = "bin\x00\r\n\xff";    # a key may be any bytes
my $THROTTLED = '0 5 4 -1 6';         # CL.THROTTLE key 4 10 60, the first time

# The calls of which we compare the reply's beginning: the time until a clock's
# window ends is left open.
my @CALLS = (
    ['TB.TAKE tb 10 1 4',           '0 10 6 -1 4000'],
    ['FW.INCR fw 100 1h',           '0 100 99 -1 '],
    ['SW.HIT sw 100 60',            '0 100 99 -1 '],
    ['SL.HIT sl 100 60',            '0 100 99 -1 60000'],
    ['LB.ADD lb 4 1',               '0 5 4 -1 1000'],
    ['GCRA gcra 4 10 60',           '0 5 4 -1 6'],
    ['CC.ACQUIRE cc 2 60 TOKEN t1', '0 2 1 -1 60000 t1'],
    ['CC.RENEW cc t1 90s',          '1'],
    ['CC.RELEASE cc t1',            '1'],
    ['CC.RELEASE cc t1',            '0'],
    ['RL.ALL {acct:7}:s TB.TAKE 10 10 AND {acct:7}:m SL.HIT 100 60', '0 nil -1 (0 10 9 -1 100) (0 100 99 -1 60000)'],
);

my ($mode, $host, $port) = @ARGV;
$| = 1;
print "version $Redis::VERSION\n";
my $redis = Redis->new(server => "$host:$port", name => $NAME, reconnect => 10, every => 100_000);
$redis->select(3);
want("the connection's name", $redis->client_getname, $NAME);
print "ok connect\n";

# A command with a dot in its name is called through a variable.
sub call { my ($command, @args) = @_; return $redis->$command(@args) }

want('CL.THROTTLE', text(call('CL.THROTTLE', 'user:42', 4, 10, 60)), $THROTTLED);
for (@CALLS) {
    my ($call, $beginning) = @$_;
    my $reply = text(call(split / /, $call));
    die "$call answered $reply, want $beginning\n" if index($reply, $beginning) != 0;
}
print "ok limiters\n";

my ($limited, $incr) = (0, 'FW.INCR');
$redis->$incr('pipe', 600, 'year', sub { my ($reply, $error) = @_; die $error if $error; $limited += $reply->[0] }) for 1 .. 1000;
$redis->wait_all_responses;
want('limited of 1000', $limited, 400);
print "ok pipeline\n";

$redis->multi;
call('CL.THROTTLE', '{tx}:a', 4, 10, 60);
call('TB.TAKE', '{tx}:b', 10, 1);
want('MULTI ... EXEC', text($redis->exec), "($THROTTLED) (0 10 9 -1 1000)");
print "ok transaction\n";

# Redis.pm dies, with a text.
die "TB.TAKE on a CL.THROTTLE key succeeded\n" if eval { call('TB.TAKE', 'user:42', 10, 1); 1 };
die "not the error we wanted: $@" if $@ !~ /^\[TB\.TAKE\] WRONGTYPE /;
print "ok error\n";

want('CL.THROTTLE with a binary key', text(call('CL.THROTTLE', $BINARY, 4, 10, 60)), $THROTTLED);
want('EXISTS of a binary key', $redis->exists($BINARY), 1);
print "ok binary\n";

print "ready for restart\n";
<STDIN>;
# With reconnect, Redis.pm dials anew and sends again by itself.
want('CL.THROTTLE after a restart', text(call('CL.THROTTLE', 'after:restart', 4, 10, 60)), $THROTTLED);
want("the connection's name after a restart", $redis->client_getname, $NAME);
print "ok restart\n";

sub want {
    my ($what, $got, $expected) = @_;
    die "$what: got $got, want $expected\n" if $got ne $expected;
}

# text shows a reply, lists within it in brackets.
sub text { return join ' ', map { ref $_ ? '(' . text(@$_) . ')' : $_ // 'nil' } @_ }
