package bundle

import (
	"fmt"

	"github.com/opencortex-go/cortex/runs/tools"
)

// What may be wrong with a bundle. The set is closed, and none of it passes by trying again.
const (
	InvalidFormat        tools.Code = "BUNDLE_INVALID_FORMAT"
	UnsupportedVersion   tools.Code = "BUNDLE_UNSUPPORTED_VERSION"
	IntegrityFailed      tools.Code = "BUNDLE_INTEGRITY_FAILED"
	MissingSnapshot      tools.Code = "BUNDLE_MISSING_SNAPSHOT"
	MissingWorkflow      tools.Code = "BUNDLE_MISSING_PINNED_WORKFLOW"
	EventOrderInvalid    tools.Code = "BUNDLE_EVENT_ORDER_INVALID"
	ManifestOrderInvalid tools.Code = "BUNDLE_MANIFEST_ORDER_INVALID"
)

// anew is what helps against a bundle that is not what was exported.
const anew = "export the run again, and copy the file whole"

func failed(code tools.Code, format string, args ...any) error {
	suggestion := anew
	if code == UnsupportedVersion {
		suggestion = "import it with a newer program"
	}
	return tools.Failed(code, fmt.Sprintf(format, args...), suggestion)
}
