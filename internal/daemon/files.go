package daemon

import "github.com/opencortex-go/cortex/adapters/api"

// filesOfStore is how many files the record may have open: tables that Pebble keeps open,
// and the log's.
const filesOfStore = 1000 + 50

// filesNeeded is how many descriptors a daemon may need at a time: one for each client
// of each socket, the record's, and some for each running tool, model and messenger.
func (c *Config) filesNeeded() uint64 {
	clients := c.Clients + max(c.Clients/8, 8) + api.MaxConnections
	if c.Nrepl.On {
		clients += c.Clients
	}
	const beside = 200
	return uint64(clients + filesOfStore + beside)
}

// checkFiles logs a warning if the process may open fewer files than it may need. The
// daemon starts anyway: beyond the limit it admits nothing new until descriptors are
// free.
func (d *daemon) checkFiles(most uint64, known bool) {
	if need := d.cfg.filesNeeded(); known && most < need {
		d.log.Warn("this process may not open as many files as it may need: raise the limit (ulimit -n, LimitNOFILE=), or "+
			"allow fewer clients", "limit", most, "needed", need, "clients", d.cfg.Clients)
	}
}
