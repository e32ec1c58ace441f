package config

// A Name is the name of an option.
type Name string

// An Option is a row of the table.
type Option struct {
	Name    Name
	Default string
	Type    Type
	Live    bool // CONFIG SET can set it
	Doc     string
}

// The options that the code asks for by name.
const (
	Bind                Name = "bind"
	Port                Name = "port"
	UnixSocket          Name = "unixsocket"
	UnixSocketPerm      Name = "unixsocketperm"
	ProtectedMode       Name = "protected-mode"
	RequirePass         Name = "requirepass"
	MaxClients          Name = "maxclients"
	Timeout             Name = "timeout"
	TCPKeepalive        Name = "tcp-keepalive"
	TLSPort             Name = "tls-port"
	TLSCertFile         Name = "tls-cert-file"
	TLSKeyFile          Name = "tls-key-file"
	TLSCAFile           Name = "tls-ca-cert-file"
	TLSAuthClients      Name = "tls-auth-clients"
	IOThreads           Name = "io-threads"
	IOUring             Name = "io-uring"
	Databases           Name = "databases"
	Dir                 Name = "dir"
	AppendOnly          Name = "appendonly"
	AppendFsync         Name = "appendfsync"
	Save                Name = "save"
	RewritePercentage   Name = "auto-aof-rewrite-percentage"
	RewriteMinSize      Name = "auto-aof-rewrite-min-size"
	OnDiskError         Name = "on-disk-error"
	MaxMemory           Name = "maxmemory"
	MaxMemoryPolicy     Name = "maxmemory-policy"
	MaxKeyBytes         Name = "max-key-bytes"
	MaxBulkBytes        Name = "proto-max-bulk-len"
	MaxArguments        Name = "proto-max-arguments"
	QueryBufferLimit    Name = "client-query-buffer-limit"
	OutputLimit         Name = "client-output-limit"
	WriteTimeout        Name = "client-write-timeout"
	ShutdownTimeout     Name = "shutdown-timeout"
	ClusterEnabled      Name = "cluster-enabled"
	ClusterAnnounceIP   Name = "cluster-announce-ip"
	ClusterAnnouncePort Name = "cluster-announce-port"
	ClusterAnnounceTLS  Name = "cluster-announce-tls-port"
	SlowlogSlowerThan   Name = "slowlog-log-slower-than"
	SlowlogMaxLen       Name = "slowlog-max-len"
	LatencyThreshold    Name = "latency-monitor-threshold"
	DebugCommand        Name = "enable-debug-command"
	LogLevel            Name = "loglevel"
	LogFormat           Name = "logformat"
)

// Options is every option there is.
var Options = []Option{
	{Bind, "127.0.0.1", Text, false, "addresses to listen on, separated by spaces"},
	{Port, "6390", Int(0, 65535), false, "TCP port; 0 lets the system choose one, or is none if there is a tls-port"},
	{UnixSocket, "", Text, false, "path of a unix socket to listen on as well"},
	{UnixSocketPerm, "0", Octal, false, "file mode of the unix socket, 0 for the umask's"},
	{ProtectedMode, "yes", YesNo, true, "refuse clients from other machines while there is no password"},
	{RequirePass, "", Text, true, "password that clients must give, none if empty"},
	{MaxClients, "10000", Int(1, 1_000_000), true, "connections at a time"},
	{Timeout, "0", Int(0, 1<<31-1), true, "seconds after which an idle client is closed, 0 for never"},
	{TCPKeepalive, "300", Int(0, 1<<31-1), true, "seconds between TCP keepalive probes, 0 for none"},
	{TLSPort, "0", Int(0, 65535), false, "TCP port for TLS, on the same addresses; 0 for none"},
	{TLSCertFile, "", Text, true, "certificate of the server in PEM, and behind it those that lead to its authority"},
	{TLSKeyFile, "", Text, true, "private key of that certificate in PEM"},
	{TLSCAFile, "", Text, true, "certificates in PEM of the authorities that clients' certificates must come from"},
	{TLSAuthClients, "yes", OneOf("yes", "no", "optional"), true,
		"ask TLS clients for a certificate: it must be there and right, need not be, or must be right if it is there"},
	{IOThreads, "0", Int(0, 128), false, "threads that run connections, 0 for half of the processors; more if clients are on other machines"},
	{IOUring, "yes", YesNo, false, "read and write for many clients in one call of the system, where Linux allows it"},
	{Databases, "16", Int(1, 16), false, "numbered databases, each with keys of its own"},
	{Dir, "./sluice-data", Text, false, "directory that states are kept in; none if empty: they live in memory only"},
	{AppendOnly, "yes", YesNo, true, "log every change, so that a killed server loses nothing that it answered"},
	{AppendFsync, "everysec", OneOf("always", "everysec", "no"), true,
		"when the log survives a power loss too: before each reply, a second later, or when the system gets to it"},
	{Save, "60 1", SaveRules, true, "pairs of seconds and changes after which a snapshot is written, none if empty"},
	{RewritePercentage, "100", Int(0, 1<<20), true, "percentage of the last snapshot's size at which the log is long enough for another, 0 for never"},
	{RewriteMinSize, "64mb", Size(0, 1<<40), true, "size of the log below which that does not count"},
	{OnDiskError, "refuse", OneOf("refuse", "memory-only"), true,
		"while the log can't be written: refuse what would change a state (-MISCONF), or go on and keep nothing"},
	{MaxMemory, "0", Size(0, 1<<50), true, "bytes that keys and their states may take, 0 for no bound"},
	{MaxMemoryPolicy, "noeviction", OneOf("noeviction", "volatile-ttl"), true,
		"at that bound: refuse what would take more (-OOM), or forget keys that would soon be untouched anyway"},
	{MaxKeyBytes, "4096", Size(1, 4096), true, "longest key"},
	{MaxBulkBytes, "1mb", Size(4096, 512<<20), true, "longest argument of a command"},
	{MaxArguments, "1024", Int(16, 1<<20), true, "most arguments of a command, its name among them"},
	{QueryBufferLimit, "16mb", Size(64<<10, 1<<30), true, "bytes of one command, all arguments together"},
	{OutputLimit, "64mb", Size(64<<10, 1<<30), true, "bytes of one reply, and of what waits to be pushed to one client; what would be longer is refused, or the client closed"},
	{WriteTimeout, "30", Int(1, 3600), true, "seconds to wait for a client that does not read its replies"},
	{ShutdownTimeout, "5", Int(0, 3600), true, "seconds that a stop waits for commands under way"},
	{ClusterEnabled, "no", YesNo, false, "show cluster clients one node that has every slot"},
	{ClusterAnnounceIP, "", Text, true, "address that the node tells cluster clients, the one they came to if empty"},
	{ClusterAnnouncePort, "0", Int(0, 65535), true, "port that the node tells cluster clients, the one they came to if 0"},
	{ClusterAnnounceTLS, "0", Int(0, 65535), true, "the same for cluster clients that speak TLS"},
	{SlowlogSlowerThan, "10000", Int(-1, 1<<40), true,
		"microseconds from which SLOWLOG keeps a command, -1 for none; limiting commands are timed one by one only below 1000"},
	{SlowlogMaxLen, "128", Int(0, 1<<20), true, "commands that SLOWLOG keeps"},
	{LatencyThreshold, "0", Int(0, 1<<40), true, "milliseconds from which LATENCY keeps a spike, 0 for none"},
	{DebugCommand, "no", OneOf("no", "yes", "local"), false, "allow DEBUG, for clients on this machine alone if local"},
	{LogLevel, "info", OneOf("debug", "verbose", "info", "notice", "warning", "error"), true, "least level that is logged; verbose and notice are Redis's names of debug and info"},
	{LogFormat, "text", OneOf("text", "json"), false, "form of the log on standard error"},

	// What Redis clients and tools ask for, and has one answer here for now.
	{"replica-read-only", "yes", OneOf("yes"), false, "there are no replicas"},
}
