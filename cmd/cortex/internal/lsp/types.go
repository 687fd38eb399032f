package lsp

import "encoding/json"

// The parts of the protocol that the server speaks, as its specification names them. Lines
// and characters count from 0; characters are code units of UTF-16.
type (
	position struct {
		Line      int `json:"line"`
		Character int `json:"character"`
	}

	span struct {
		Start position `json:"start"`
		End   position `json:"end"`
	}

	location struct {
		URI   string `json:"uri"`
		Range span   `json:"range"`
	}

	textEdit struct {
		Range   span   `json:"range"`
		NewText string `json:"newText"`
	}

	workspaceEdit struct {
		Changes map[string][]textEdit `json:"changes"`
	}

	diagnostic struct {
		Range    span   `json:"range"`
		Severity int    `json:"severity"`
		Source   string `json:"source"`
		Message  string `json:"message"`
	}

	diagnostics struct {
		URI         string       `json:"uri"`
		Version     *int         `json:"version,omitempty"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}

	markup struct {
		Kind  string `json:"kind"`
		Value string `json:"value"`
	}

	hover struct {
		Contents markup `json:"contents"`
		Range    span   `json:"range"`
	}

	completionItem struct {
		Label         string   `json:"label"`
		Kind          int      `json:"kind"`
		Detail        string   `json:"detail,omitempty"`
		Documentation *markup  `json:"documentation,omitempty"`
		TextEdit      textEdit `json:"textEdit"`
	}

	completionList struct {
		IsIncomplete bool             `json:"isIncomplete"`
		Items        []completionItem `json:"items"`
	}

	documentSymbol struct {
		Name           string           `json:"name"`
		Detail         string           `json:"detail,omitempty"`
		Kind           int              `json:"kind"`
		Range          span             `json:"range"`
		SelectionRange span             `json:"selectionRange"`
		Children       []documentSymbol `json:"children,omitempty"`
	}

	lensCommand struct {
		Title   string `json:"title"`
		Command string `json:"command"`
	}

	codeLens struct {
		Range   span        `json:"range"`
		Command lensCommand `json:"command"`
	}

	prepared struct {
		Range       span   `json:"range"`
		Placeholder string `json:"placeholder"`
	}
)

// What clients send.
type (
	document struct {
		URI     string `json:"uri"`
		Version int    `json:"version"`
		Text    string `json:"text"`
	}

	// place is the parameters of every question about a place, and what some add to it.
	place struct {
		TextDocument document `json:"textDocument"`
		Position     position `json:"position"`
		NewName      string   `json:"newName"`
		Context      struct {
			IncludeDeclaration bool `json:"includeDeclaration"`
		} `json:"context"`
	}

	change struct {
		TextDocument   document `json:"textDocument"`
		ContentChanges []struct {
			Range json.RawMessage `json:"range"`
			Text  string          `json:"text"`
		} `json:"contentChanges"`
	}

	opening struct {
		Capabilities struct {
			Workspace struct {
				CodeLens struct {
					RefreshSupport bool `json:"refreshSupport"`
				} `json:"codeLens"`
			} `json:"workspace"`
		} `json:"capabilities"`
	}
)

// Severities, and kinds of completion and of symbols, as the protocol numbers them.
const (
	severityError   = 1
	severityWarning = 2

	completeFunction = 3
	completeVariable = 6
	completeProperty = 10
	completeValue    = 12
	completeKeyword  = 14
	completeConstant = 21
	completeOperator = 24

	symbolClass    = 5
	symbolFunction = 12
	symbolConstant = 14
	symbolArray    = 18
	symbolEvent    = 24
)

// capabilities are what the server offers: whole texts are sent when one changes.
func capabilities(lenses bool) map[string]any {
	out := map[string]any{
		"positionEncoding":           "utf-16",
		"textDocumentSync":           map[string]any{"openClose": true, "change": 1},
		"hoverProvider":              true,
		"completionProvider":         map[string]any{"triggerCharacters": []string{"(", ":", ".", "\"", "/"}},
		"definitionProvider":         true,
		"referencesProvider":         true,
		"renameProvider":             map[string]any{"prepareProvider": true},
		"documentFormattingProvider": true,
		"documentSymbolProvider":     true,
	}
	if lenses {
		out["codeLensProvider"] = map[string]any{}
	}
	return out
}
