package commands

import (
	"crypto/sha256"
	"crypto/subtle"

	"sluice/commands/config"
)

// defaultUser is the one user there is.
const defaultUser = "default"

const errNoPassword Error = "ERR AUTH <password> called without any password configured for the default user. " +
	"Are you sure your configuration is correct?"

func auth(c *Session, args [][]byte) (Reply, error) {
	user, pass := []byte(defaultUser), args[1]
	switch len(args) {
	case 2:
		if c.service.Config.String(config.RequirePass) == "" {
			return Reply{}, errNoPassword
		}
	case 3:
		user, pass = args[1], args[2]
	default:
		return Reply{}, errSyntax
	}
	if err := c.login(user, pass); err != nil {
		return Reply{}, err
	}
	return OK, nil
}

// login authenticates the client. One that fails stays who it was. While no
// password is set any will do, as in Redis.
func (c *Session) login(user, pass []byte) error {
	want := c.service.Config.String(config.RequirePass)
	right := want == "" || equalSecret(pass, []byte(want))
	if string(user) != defaultUser || !right {
		return errWrongPass
	}
	c.authenticated = true
	return nil
}

// equalSecret compares in a time that tells nothing of either text, not even its
// length.
func equalSecret(a, b []byte) bool {
	sumA, sumB := sha256.Sum256(a), sha256.Sum256(b)
	return subtle.ConstantTimeCompare(sumA[:], sumB[:]) == 1
}
