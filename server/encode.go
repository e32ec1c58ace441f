package server

import (
	"strconv"

	"github.com/tidwall/redcon"

	"sluice/commands"
)

// appendReply encodes a reply for RESP2 or RESP3. It is the only place that knows
// how they differ. A reply that makes no sense is a bug and panics.
func appendReply(b []byte, r *commands.Reply, proto int) []byte {
	switch r.Kind {
	case commands.NoReply:
		return b
	case commands.Limiting:
		return appendFive(append(b, "*5\r\n"...), r)
	case commands.Leasing:
		b = appendFive(append(b, "*6\r\n"...), r)
		if r.Text == "" {
			return appendNull(b, commands.Null, proto)
		}
		return redcon.AppendBulkString(b, r.Text)
	case commands.Simple:
		return redcon.AppendString(b, r.Text)
	case commands.Failure:
		return redcon.AppendError(b, r.Text)
	case commands.Integer:
		return appendHead(b, ':', r.Number)
	case commands.Bulk:
		return redcon.AppendBulkString(b, r.Text)
	case commands.BulkBytes:
		return redcon.AppendBulk(b, r.Bytes)
	case commands.Null, commands.NullArray:
		return appendNull(b, r.Kind, proto)
	case commands.Array, commands.Map, commands.Set, commands.Push, commands.Sequence:
		return appendItems(b, r, proto)
	}
	panic("server: a reply of no kind")
}

func appendFive(b []byte, r *commands.Reply) []byte {
	for i := range r.Five {
		b = appendHead(b, ':', r.Five[i])
	}
	return b
}

func appendNull(b []byte, kind commands.ReplyKind, proto int) []byte {
	switch {
	case proto == 3:
		return append(b, "_\r\n"...)
	case kind == commands.NullArray:
		return append(b, "*-1\r\n"...)
	}
	return redcon.AppendNull(b)
}

func appendItems(b []byte, r *commands.Reply, proto int) []byte {
	if r.Kind == commands.Map && len(r.Items)%2 != 0 {
		panic("server: a map with a key that has no value")
	}
	switch {
	case r.Kind == commands.Sequence:
	case r.Kind == commands.Array || proto != 3:
		b = redcon.AppendArray(b, len(r.Items))
	case r.Kind == commands.Map:
		b = appendHead(b, '%', int64(len(r.Items)/2))
	case r.Kind == commands.Set:
		b = appendHead(b, '~', int64(len(r.Items)))
	case r.Kind == commands.Push:
		b = appendHead(b, '>', int64(len(r.Items)))
	}
	for i := range r.Items {
		b = appendReply(b, &r.Items[i], proto)
	}
	return b
}

// appendHead appends a sign and a number. Most numbers have few digits, or are -1.
func appendHead(b []byte, sign byte, n int64) []byte {
	switch {
	case n == -1:
		return append(b, sign, '-', '1', '\r', '\n')
	case n < 0 || n > 999:
		return append(strconv.AppendInt(append(b, sign), n, 10), '\r', '\n')
	case n > 99:
		return append(b, sign, '0'+byte(n/100), '0'+byte(n/10%10), '0'+byte(n%10), '\r', '\n')
	case n > 9:
		return append(b, sign, '0'+byte(n/10), '0'+byte(n%10), '\r', '\n')
	}
	return append(b, sign, '0'+byte(n), '\r', '\n')
}
