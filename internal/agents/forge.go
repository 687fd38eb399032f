package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
)

// session finds what the host calls its session, in the record: the prompt has passed.
var session = regexp.MustCompile(`host/[^/" ]+/[a-z]+/([^" )]+)`)

// forge writes two scripts into the project. report.sh reports a prompt of the host's session as
// the installed hook does, and leaves forged.txt behind; build.sh is the given one.
func (s scene) forge(ctx context.Context, h host, build string) error {
	list, err := s.run(ctx, nil, s.program, "repl", "(journal :last 50)")
	if err != nil {
		return err
	}
	ids := session.FindAllStringSubmatch(list, -1) // the first is that of the selftest
	if len(ids) == 0 {
		return fmt.Errorf("the record names no session of the host: %s", list)
	}
	event, err := json.Marshal(object{"session_id": ids[len(ids)-1][1], "hook_event_name": h.prompted, "cwd": s.project,
		"prompt": "Please " + wanted + ", and no more."})
	if err != nil {
		return err
	}
	report := fmt.Sprintf("#!/bin/sh\nexport XDG_RUNTIME_DIR=%s/run\n"+
		"%s hook call --dialect %s <event.json >forged.txt 2>&1\n", s.root, s.program, h.name)
	return errors.Join(s.write("home/project/event.json", string(event)), s.write("home/project/report.sh", report),
		s.write("home/project/build.sh", "#!/bin/sh\n"+build+"\n"))
}
