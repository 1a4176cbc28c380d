package differential_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// Where the written differences are: those of texts in general, which the recordings need too, and those of this test.
const (
	recordedDifferences = "../../fakecyborg/testdata/differences.yaml"
	writtenDifferences  = "testdata/differences.yaml"
)

// differences are what may differ, and why. docs/differences.md is made of them.
type differences struct {
	Texts   []*textDifference
	Answers []*answerDifference
	// Drift is what may differ, beside the texts, between two recordings of the same walk.
	Drift []*textDifference
	// Exchanges are those of a walk that are not compared.
	Exchanges []struct {
		Names []string
		Why   string
	}
	// Unasked is what is never asked, because of what it would do to the real service.
	Unasked []struct{ What, Why string }
}

// textDifference puts the same text in place of what may differ in an answer.
type textDifference struct {
	Pattern, As, Why string
	form             *regexp.Regexp
	met              int
}

// answerDifference lets two answers to a request differ. The patterns are of the step, and of the answers as text, with names for uuids.
type answerDifference struct {
	Step, Real, Fake, Why string
	step, real, fake      *regexp.Regexp
	met                   int
}

func readDifferences(t *testing.T) *differences {
	t.Helper()
	recorded, written := &differences{}, &differences{}
	readYAML(t, recordedDifferences, recorded)
	readYAML(t, writtenDifferences, written)
	for _, text := range recorded.Texts {
		text.met = 1 // fakecyborg's own test sees to it that they are needed
	}
	written.Texts = append(recorded.Texts, written.Texts...)
	written.Exchanges = recorded.Exchanges
	for _, text := range append(slices.Clone(written.Texts), written.Drift...) {
		text.form = regexp.MustCompile(text.Pattern)
		require.NotEmpty(t, text.Why, text.Pattern)
	}
	for _, a := range written.Answers {
		a.step, a.real, a.fake = regexp.MustCompile(a.Step), regexp.MustCompile(`(?s)`+a.Real), regexp.MustCompile(`(?s)`+a.Fake)
		require.NotEmpty(t, a.Why, a.Step)
	}
	return written
}

func readYAML(t *testing.T, path string, into any) {
	t.Helper()
	data, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(data, into), path)
}

// text puts the same text in place of what may differ.
func (d *differences) text(text string) string {
	for _, difference := range d.Texts {
		changed := difference.form.ReplaceAllString(text, difference.As)
		if changed != text {
			difference.met++
		}
		text = changed
	}
	return text
}

// excuse says whether two answers to a step may differ as they do.
func (d *differences) excuse(st step, real, fake string) bool {
	for _, difference := range d.Answers {
		if difference.step.MatchString(st.String()) && difference.real.MatchString(real) && difference.fake.MatchString(fake) {
			difference.met++
			return true
		}
	}
	return false
}

// idle are the differences that no answer needed.
func (d *differences) idle() []string {
	var idle []string
	for _, text := range d.Texts {
		if text.met == 0 {
			idle = append(idle, text.Pattern)
		}
	}
	for _, a := range d.Answers {
		if a.met == 0 {
			idle = append(idle, a.Step)
		}
	}
	return idle
}

// account tells how often each difference was met.
func (d *differences) account() string {
	var text strings.Builder
	for _, difference := range d.Texts {
		fmt.Fprintf(&text, "\n%6d %s", difference.met, difference.Pattern)
	}
	for _, difference := range d.Answers {
		fmt.Fprintf(&text, "\n%6d %s", difference.met, difference.Step)
	}
	return text.String()
}
