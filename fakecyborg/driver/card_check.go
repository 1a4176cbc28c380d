package driver

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// What the fields of cards may hold; the drivers check addresses, and names
// that become parts of traits, as they read them.
var cardRules = map[string]struct {
	rule *regexp.Regexp
	want string
}{
	"vendor_id":        {regexp.MustCompile(`^[0-9a-fA-F]{4}$`), "4 hexadecimal digits"},
	"product_id":       {regexp.MustCompile(`^[0-9a-fA-F]{4}$`), "4 hexadecimal digits"},
	"function_id":      {regexp.MustCompile(`^[0-9A-Za-z_]{1,200}$`), "letters, digits and underscores, since it becomes a trait"},
	"region_id":        {regexp.MustCompile(`^[0-9a-fA-F]{1,200}$`), "1 to 200 hexadecimal digits"},
	"vfs":              {regexp.MustCompile(`^([1-9]|[1-9][0-9]|1[0-9]{2}|2[0-4][0-9]|25[0-5])$`), "0 to 255"},
	"vgpus":            {regexp.MustCompile(`^[1-9][0-9]{0,2}$`), "1 to 999"},
	"vgpu_type":        {regexp.MustCompile(`^[!-~]+$`), "a name without blanks, such as nvidia-222"},
	"vgpu_name":        {regexp.MustCompile(`^[!-~]+ [0-9A-Za-z_-]+( .*)?$`), `two words, such as "GRID T4-1B"`},
	"physical_network": {regexp.MustCompile(`^[0-9A-Za-z_]{1,200}$`), "letters, digits and underscores, since it becomes a trait"},
	"function_name":    {regexp.MustCompile(`^[0-9A-Za-z_]{1,200}$`), "letters, digits and underscores, since it becomes a trait"},
	"resource_class":   {regexp.MustCompile(`^[0-9A-Z_]{1,255}$`), "capital letters, digits and underscores"},
	"model":            {regexp.MustCompile(`^[ -~\p{L}\p{N}\p{P}\p{S}]{1,255}$`), "1 to 255 printable characters"},
	"controller":       {regexp.MustCompile(`^[ -~\p{L}\p{N}\p{P}\p{S}]{1,255}$`), "1 to 255 printable characters"},
}

// check refuses fields that the driver does not read, and values that no driver
// can use.
func (k Kind) check(card Card) error {
	for _, field := range card.fields() {
		switch needed, read := k.needs == field.key, k.reads[field.key]; {
		case field.value == "" && needed:
			return k.wrong(field.key, "", ErrMissing)
		case field.value != "" && !needed && !read:
			return k.wrong(field.key, field.value, ErrUnused)
		case field.value == "":
			continue
		}
		if check, ok := cardRules[field.key]; ok && !check.rule.MatchString(field.value) {
			return k.wrong(field.key, field.value, fmt.Errorf("%w: want %s", ErrFormat, check.want))
		}
	}
	return nil
}

func (k Kind) wrong(field, value string, err error) error {
	return &Error{Driver: k.name, Field: field, Value: value, Err: err}
}

// numberedTraits gives traits the attribute keys that the lspci and sysfs based
// drivers use: trait0, trait1, and so on.
func numberedTraits(first int, traits ...string) []Pair {
	pairs := make([]Pair, 0, len(traits))
	for i, trait := range traits {
		pairs = append(pairs, Pair{Key: traitKey + strconv.Itoa(first+i), Value: trait})
	}
	return pairs
}

// attributes are those of most drivers: the class, then the traits.
func attributes(class string, traits ...string) []Pair {
	return append([]Pair{{Key: classKey, Value: class}}, numberedTraits(0, traits...)...)
}

// upper is the spelling of ids in traits.
func upper(text string) string { return strings.ToUpper(text) }
