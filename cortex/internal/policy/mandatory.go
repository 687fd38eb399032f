package policy

import (
	"errors"
	"fmt"
	"slices"

	"github.com/opencortex-go/cortex/cortex/journal"
	"github.com/opencortex-go/cortex/cortex/record"
	"github.com/opencortex-go/cortex/sexpr"
	"github.com/opencortex-go/cortex/skills"
)

// keepMandatory refuses a policy that lacks a mandatory skill: one that the host names, or
// that the policy before marked as mandatory. To retire such a skill, first load it
// without :mandatory, then remove it (row 101). So a lost file does not count as a
// decision.
func keepMandatory(tx *journal.Tx, p skills.Policy, named []string) error {
	before, _, err := record.GetPlist(tx, record.TableSetting.Key(record.SettingMandatory))
	if err != nil {
		return err
	}
	var has, marked []string
	for _, s := range p.Skills("") {
		has = append(has, s.Name)
		if s.Mandatory {
			marked = append(marked, s.Name)
		}
	}
	var errs []error
	for _, name := range named {
		if !slices.Contains(has, name) {
			errs = append(errs, fmt.Errorf("the mandatory skill %q is in none of the rule files", name))
		}
	}
	for _, name := range record.TextsFrom(before, "skills") {
		if !slices.Contains(has, name) && !slices.Contains(named, name) {
			errs = append(errs, fmt.Errorf("the skill %q, :mandatory until now, is in none of the rule files; to retire it, "+
				"load it once without :mandatory", name))
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	return record.SetPlist(tx, record.TableSetting.Key(record.SettingMandatory),
		sexpr.Plist("skills", record.Texts(marked)))
}
