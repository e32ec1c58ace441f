// Package persistence makes the states of a store survive the process: it is the
// store's journal, writes snapshots of it, and makes it again from both. It owns
// the files and their format, when they are synced, and what is done when a disk
// fails. It knows records, never what they mean; the store is an engine.Keeper.
//
// # Files
//
// A directory holds files with numbers of ten digits, and LOCK:
//
//	0000000007.snapshot   every key as it was at some instant while it was written
//	0000000007.log        all changes since that was begun
//	0000000008.log        those since then: a new log is begun at each start
//
// Recovery reads the newest snapshot that is whole and the logs from its number on,
// in their order. A snapshot need not be of one instant: what changed while it was
// written is in its log, and a record tells what a key is, not what became different,
// so it may be applied to a key that knows of it already.
//
// The snapshot before the newest stays, with the logs from its number on: it is
// there for the day on which the newest turns out to be damaged. What is older goes.
//
// Files are made under a temporary name and get their own when they are on the
// disk: a log with its header, a snapshot as a whole, and not before all that was
// logged while it was written is on the disk too. So no crash leaves a part of one,
// and no snapshot knows of a change that its log does not.
//
// # Format
//
// A file of either kind begins with 64 bytes (header), which tell a file of another
// kind, number or version, or of a later program. Numbers are little-endian. A log
// goes on with frames (frame.go):
//
//	+-----------+--------+------+--------+---------+
//	| crc       | length | type | at     | payload |
//	| 4         | 4      | 1    | 8      | length  |
//	+-----------+--------+------+--------+---------+
//
//	crc      a frame counts whole or not at all: changes that were made as one are found
//	         as one. It covers all that follows, and starts from the file's salt, which
//	         no client knows: no key can be made to look like a frame.
//	length   where the next one begins. 0 is no frame of changes, so zeros are none.
//	type     changes; how much had been synced when it was written; has its snapshot
//	at       when the store's clock is behind the newest at of all, it was set back
//	payload  records (record.go) of one change, or of several that are written at once
//
// and a snapshot with blocks, each with crc, length and count of its records, so that
// they can be read at once (snapshotwrite.go), and a footer with the counts of all:
// a snapshot without it is none.
//
// # Damage
//
// Zeros at the end of a log that says in its header that they may be written ahead
// (ahead.go) are neither damage nor a loss.
//
// A crash leaves the end of a log unfinished, and a power loss in addition takes any
// part of what had not been synced. That is cut off and told. Anything else (judge.go)
// is damage. The start is refused then: what comes after it would be applied to what it
// does not follow from. Three things tell one from the other: whole frames behind the
// place; zeros where a sector was never written; and what is known to have been synced,
// which frames say of their own log and of the one before, and headers of the one
// before: no crash takes that.
//
// # The way of a change
//
//	store --Append--> pending --Commit--> kernel --fsync--> disk
//
// Append copies under a lock that is never held for a device. Commit, before the
// reply, hands all that is pending to the kernel, whoever it is from; who finds
// another at it waits, and mostly finds his own written then (group commit).
package persistence
