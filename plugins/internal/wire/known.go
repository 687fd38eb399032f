package wire

import (
	"fmt"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/reflect/protoreflect"

	skillpb "github.com/opencortex-go/cortex/plugins/proto"
)

// CheckKnown refuses a message with anything in it that this side's proto file
// does not know, however deep. The error names both sides, so that anyone who reads
// it knows which one to update.
func CheckKnown(m protoreflect.Message, us, them string) error {
	var err error
	unknown := func(what string) error {
		return fmt.Errorf("%s sent a %s with %s, which %s does not know; both must speak the same %s",
			them, m.Descriptor().Name(), what, us, skillpb.Service)
	}
	if raw := m.GetUnknown(); len(raw) > 0 {
		number, _, _ := protowire.ConsumeTag(raw)
		return unknown(fmt.Sprintf("a field %d", number))
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		each := func(v protoreflect.Value) {
			switch {
			case err != nil:
			case f.Message() != nil:
				err = CheckKnown(v.Message(), us, them)
			case f.Enum() != nil && f.Enum().Values().ByNumber(v.Enum()) == nil:
				err = unknown(fmt.Sprintf("a value %d of %s", v.Enum(), f.Enum().Name()))
			case f.Kind() == protoreflect.StringKind && strings.IndexByte(v.String(), 0) >= 0:
				err = unknown("a zero byte in " + string(f.Name()))
			}
		}
		if !f.IsList() {
			each(v)
			return err == nil
		}
		for i := range v.List().Len() {
			each(v.List().Get(i))
		}
		return err == nil
	})
	return err
}
