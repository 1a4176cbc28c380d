package fakecyborg_test

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// differences is testdata/differences.yaml.
type differences struct {
	Texts []struct {
		Pattern, As, Why string
		form             *regexp.Regexp
		used             bool
	}
	Exchanges []struct {
		Names []string
		Why   string
		used  bool
	}
	Headers []struct{ Name, Why string }
}

func readDifferences(t *testing.T) *differences {
	t.Helper()
	file, err := os.Open("testdata/differences.yaml")
	require.NoError(t, err)
	defer file.Close()
	decoder := yaml.NewDecoder(file)
	decoder.KnownFields(true)
	var d differences
	require.NoError(t, decoder.Decode(&d))
	for i := range d.Texts {
		d.Texts[i].form = regexp.MustCompile(d.Texts[i].Pattern)
		require.NotEmpty(t, d.Texts[i].Why)
	}
	return &d
}

// normalise puts the same text in place of what may differ.
func (d *differences) normalise(text string) string {
	for i := range d.Texts {
		changed := d.Texts[i].form.ReplaceAllString(text, d.Texts[i].As)
		d.Texts[i].used = d.Texts[i].used || changed != text
		text = changed
	}
	return text
}

// skips says whether an exchange is not compared at all.
func (d *differences) skips(name string) bool {
	for i := range d.Exchanges {
		if slices.Contains(d.Exchanges[i].Names, name) {
			d.Exchanges[i].used = true
			return true
		}
	}
	return false
}

// idle are the differences that no recording needed.
func (d *differences) idle() []string {
	var idle []string
	for _, text := range d.Texts {
		if !text.used {
			idle = append(idle, text.Pattern)
		}
	}
	for _, exchange := range d.Exchanges {
		if !exchange.used {
			idle = append(idle, exchange.Names...)
		}
	}
	return idle
}
