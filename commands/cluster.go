package commands

import (
	"cmp"
	"fmt"
	"net"
	"strconv"

	"sluice/commands/config"
	"sluice/engine"
)

// The one-node cluster face: with cluster-enabled a cluster client finds one node
// that has every slot.

const (
	errClusterDisabled Error = "ERR This instance has cluster support disabled"
	errCrossSlot       Error = "CROSSSLOT Keys in request don't hash to the same slot"
	errNoSlot          Error = "ERR Invalid slot"
)

func clusterCommands() []*Command {
	sub := func(name, usage, summary string, arity int, f run) *Command {
		return &Command{
			Name: name, Usage: usage, Summary: summary, Group: Cluster, Since: "0.1.0",
			Arity: arity, Flags: Loading | Stale, Run: ifCluster(f),
		}
	}
	const walk = "O(N) where N is the number of keys"
	count := sub("COUNTKEYSINSLOT", "slot", "Counts the keys in a slot.", 3, clusterCountKeys)
	list := sub("GETKEYSINSLOT", "slot count", "Lists keys in a slot.", 4, clusterGetKeys)
	count.Complexity, list.Complexity = walk, walk
	noMulti(count)
	noMulti(list)
	return []*Command{
		sub("INFO", "", "Tells the state of the cluster.", 2, clusterInfo),
		sub("MYID", "", "Tells the node's id.", 2, clusterMyID),
		sub("NODES", "", "Tells the nodes, a line each.", 2, clusterNodes),
		sub("SLOTS", "", "Tells which node has which slots.", 2, clusterSlots),
		sub("SHARDS", "", "Tells which nodes have which slots.", 2, clusterShards),
		sub("REPLICAS", "node-id", "Lists the replicas of a node.", 3, clusterReplicas),
		sub("KEYSLOT", "key-name", "Tells the slot of a key.", 3, clusterKeySlot),
		count, list,
		helpRow(Cluster),
	}
}

func ifCluster(f run) run {
	return func(c *Session, args [][]byte) (Reply, error) {
		if !c.service.cluster {
			return Reply{}, errClusterDisabled
		}
		return f(c, args)
	}
}

// A node is where cluster clients find the one there is. A port is 0 if there is none.
type node struct {
	host        string
	plain, safe int64
	port        int64 // of these two, the one for the client that asks
}

// announced is the node as one client is told of it: by what the config says, else
// where this client found it. Who came with TLS is led to where TLS is spoken.
func (c *Session) announced() node {
	cfg := c.service.Config
	host, text, err := net.SplitHostPort(c.Laddr)
	if err != nil { // a unix socket
		host = "127.0.0.1"
	}
	came, _ := strconv.ParseInt(text, 10, 64)
	n := node{host: cmp.Or(cfg.String(config.ClusterAnnounceIP), host)}
	n.plain, n.safe = cfg.Number(config.Port), cfg.Number(config.TLSPort)
	at := &n.plain
	if c.Secure {
		at = &n.safe
	}
	*at = cmp.Or(came, *at)
	n.plain = cmp.Or(cfg.Number(config.ClusterAnnouncePort), n.plain)
	n.safe = cmp.Or(cfg.Number(config.ClusterAnnounceTLS), n.safe)
	n.port = *at
	return n
}

func clusterInfo(*Session, [][]byte) (Reply, error) {
	text := ""
	for _, line := range []string{
		"cluster_enabled:1", "cluster_state:ok",
		"cluster_slots_assigned:16384", "cluster_slots_ok:16384", "cluster_slots_pfail:0", "cluster_slots_fail:0",
		"cluster_known_nodes:1", "cluster_size:1", "cluster_current_epoch:1", "cluster_my_epoch:1",
		"cluster_stats_messages_sent:0", "cluster_stats_messages_received:0", "total_cluster_links_buffer_limit_exceeded:0",
	} {
		text += line + "\r\n"
	}
	return bulk(text), nil
}

func clusterMyID(c *Session, _ [][]byte) (Reply, error) { return bulk(c.service.RunID), nil }

func clusterNodes(c *Session, _ [][]byte) (Reply, error) {
	n := c.announced()
	return bulk(fmt.Sprintf("%s %s:%d@%d myself,master - 0 0 1 connected 0-%d\n",
		c.service.RunID, n.host, n.port, n.port+10000, slots-1)), nil
}

func clusterSlots(c *Session, _ [][]byte) (Reply, error) {
	n := c.announced()
	found := array(bulk(n.host), integer(n.port), bulk(c.service.RunID), array())
	return array(array(integer(0), integer(slots-1), found)), nil
}

func clusterShards(c *Session, _ [][]byte) (Reply, error) {
	n := c.announced()
	fields := []Reply{bulk("id"), bulk(c.service.RunID)}
	if n.plain != 0 {
		fields = append(fields, bulk("port"), integer(n.plain))
	}
	if n.safe != 0 {
		fields = append(fields, bulk("tls-port"), integer(n.safe))
	}
	fields = append(fields,
		bulk("ip"), bulk(n.host),
		bulk("endpoint"), bulk(n.host),
		bulk("role"), bulk("master"),
		bulk("replication-offset"), integer(0),
		bulk("health"), bulk("online"),
	)
	return array(mapOf(
		bulk("slots"), array(integer(0), integer(slots-1)),
		bulk("nodes"), array(mapOf(fields...)),
	)), nil
}

func clusterReplicas(c *Session, args [][]byte) (Reply, error) {
	if string(args[2]) != c.service.RunID {
		return Reply{}, errorf("ERR Unknown node %.40s", printable(args[2]))
	}
	return array(), nil
}

func clusterKeySlot(_ *Session, args [][]byte) (Reply, error) {
	return integer(int64(slotOf(args[2]))), nil
}

func clusterCountKeys(c *Session, args [][]byte) (Reply, error) {
	var n int64
	err := c.eachInSlot(args[2], func(engine.Entry) bool {
		n++
		return true
	})
	return integer(n), err
}

func clusterGetKeys(c *Session, args [][]byte) (Reply, error) {
	count, err := parseInt(args[3])
	if err != nil {
		return Reply{}, err
	}
	if count < 0 {
		return Reply{}, errorf("ERR Invalid number of keys")
	}
	reply := array()
	err = c.eachInSlot(args[2], func(e engine.Entry) bool {
		if int64(len(reply.Items)) < count {
			reply.Items = append(reply.Items, bulkBytes(e.Key.Name))
		}
		return int64(len(reply.Items)) < count
	})
	return reply, err
}

// eachInSlot calls f with the keys in a slot, until it says no.
func (c *Session) eachInSlot(arg []byte, f func(engine.Entry) bool) error {
	slot, err := parseInt(arg)
	if err != nil || slot < 0 || slot >= slots {
		return errNoSlot
	}
	cursor, more := uint64(0), true
	for {
		cursor, err = c.store.Scan(c.ctx, int(c.db.Load()), cursor, scanBatch, func(e engine.Entry) {
			if more && int64(slotOf(e.Key.Name)) == slot {
				more = f(e)
			}
		})
		if err != nil || cursor == 0 || !more {
			return err
		}
	}
}
