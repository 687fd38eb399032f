package llm

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/opencortex-go/cortex/reason/model"
)

// script is a provider that plays a file.
type script struct {
	*model.Scripted
	Config
}

func newScripted(cfg Config) (*script, error) {
	if cfg.File == "" {
		return nil, errors.New("file: expected a file of replies")
	}
	src, err := os.ReadFile(cfg.File)
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	s, err := model.NewScripted(cfg.Name, filepath.Base(cfg.File), string(src))
	if err != nil {
		return nil, fmt.Errorf("file: %w", err)
	}
	return &script{s, cfg}, nil
}

// Name is the configured one.
func (s *script) Name() string { return s.Config.Name }
