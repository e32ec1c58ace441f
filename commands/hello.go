package commands

// redisVersion is the Redis whose commands and replies we imitate. Clients choose
// what they send by it: below 8 they ask CLUSTER SLOTS, from 7.2 on they say
// CLIENT SETINFO. Our own version is in INFO.
const redisVersion = "7.4.2"

const errHelloNoAuth Error = "NOAUTH HELLO must be called with the client already authenticated, " +
	"otherwise the HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client " +
	"and select the RESP protocol version at the same time"

// A greeting is what a HELLO asks for.
type greeting struct {
	proto      int32 // 0: stay as it is
	user, pass []byte
	login      bool
	name       []byte
	named      bool
}

// hello chooses the protocol, after the client has said who it is.
func hello(c *Session, args [][]byte) (Reply, error) {
	g, err := parseHello(args[1:])
	if err != nil {
		return Reply{}, err
	}
	if g.login {
		if err := c.login(g.user, g.pass); err != nil {
			return Reply{}, err
		}
	}
	if !c.authenticated {
		return Reply{}, errHelloNoAuth
	}
	if g.named {
		c.setName(g.name)
	}
	if g.proto != 0 {
		c.proto.Store(g.proto)
	}
	return c.welcome(), nil
}

func parseHello(args [][]byte) (g greeting, err error) {
	if len(args) == 0 {
		return g, nil
	}
	version, err := parseInt(args[0])
	if err != nil {
		return g, errorf("ERR Protocol version is not an integer or out of range")
	}
	if version != 2 && version != 3 {
		return g, errorf("NOPROTO unsupported protocol version")
	}
	g.proto = int32(version)
	for rest := args[1:]; len(rest) > 0; {
		switch {
		case is(rest[0], "AUTH") && len(rest) >= 3:
			g.user, g.pass, g.login = rest[1], rest[2], true
			rest = rest[3:]
		case is(rest[0], "SETNAME") && len(rest) >= 2:
			if err := checkLabel("Client names", rest[1]); err != nil {
				return g, err
			}
			g.name, g.named = rest[1], true
			rest = rest[2:]
		default:
			return g, errorf("ERR Syntax error in HELLO option '%.128s'", printable(rest[0]))
		}
	}
	return g, nil
}

// welcome is Redis's map of seven fields.
func (c *Session) welcome() Reply {
	return mapOf(
		bulk("server"), bulk("redis"),
		bulk("version"), bulk(redisVersion),
		bulk("proto"), integer(int64(c.proto.Load())),
		bulk("id"), integer(c.ID),
		bulk("mode"), bulk(c.service.mode()),
		bulk("role"), bulk("master"),
		bulk("modules"), array(),
	)
}

// maxLabelBytes bounds what a client can call itself and its library.
const maxLabelBytes = 512

// checkLabel says whether a name can stand in a line of CLIENT LIST.
func checkLabel(what string, label []byte) error {
	if len(label) > maxLabelBytes {
		return errorf("ERR %s cannot be longer than %d bytes.", what, maxLabelBytes)
	}
	for _, b := range label {
		if b < '!' || b > '~' {
			return errorf("ERR %s cannot contain spaces, newlines or special characters.", what)
		}
	}
	return nil
}
