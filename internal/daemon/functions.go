package daemon

import (
	"github.com/opencortex-go/cortex/skills/facts"
	"github.com/opencortex-go/cortex/skills/facts/secrets"
	"github.com/opencortex-go/cortex/skills/facts/sql"
	"github.com/opencortex-go/cortex/skills/facts/sql/mysql"
)

// Functions returns what rules may call in the program beyond [facts.Core]: what finds
// credentials, and what reads queries. The slice is fresh.
func Functions() []facts.Function {
	return append(secrets.Functions(), sql.Functions(map[string]sql.Reader{mysql.Dialect: mysql.Read})...)
}
