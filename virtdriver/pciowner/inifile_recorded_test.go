package pciowner

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestFilesAsOsloConfigReadsThem compares with what oslo.config, with the options of nova/conf/pci.py, made of files:
// the values of device_spec and its old names in order, the flag, or an error.
func TestFilesAsOsloConfigReadsThem(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/oslo-config.jsonl")
	require.NoError(t, err)
	defer file.Close()
	count, valued := 0, 0
	lines := bufio.NewScanner(file)
	for ; lines.Scan(); count++ {
		var r struct {
			Files  []string
			Answer struct {
				Error       string
				Values      []string
				ValuesError string `json:"values_error"`
				Flag        bool
				FlagError   string `json:"flag_error"`
			}
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
		var files []File
		for i, text := range r.Files {
			files = append(files, File{Name: fmt.Sprintf("%d.conf", i), Text: []byte(text)})
		}
		conf, err := parseConfiguration(files)
		if r.Answer.Error != "" {
			require.ErrorIs(t, err, ErrSyntax, "%s", lines.Text())
			continue
		}
		require.NoError(t, err, "%s", lines.Text())
		values, err := substitute(conf.multi(novaOptions...))
		if r.Answer.ValuesError != "" {
			require.ErrorIs(t, err, ErrValue, "%s", lines.Text())
		} else {
			require.NoError(t, err, "%s", lines.Text())
			texts := []string{}
			for _, v := range values {
				texts = append(texts, v.text)
			}
			require.Equal(t, r.Answer.Values, texts, "%s", lines.Text())
			valued += len(texts)
		}
		flag, err := conf.flag(option{"pci", "report_in_placement"})
		require.Equal(t, r.Answer.FlagError != "", err != nil, "%s", lines.Text())
		require.Equal(t, r.Answer.Flag, flag, "%s", lines.Text())
	}
	require.NoError(t, lines.Err())
	t.Logf("%d sets of files, %d values", count, valued)
	assert.Greater(t, count, 300)
	assert.Greater(t, valued, 300)
}
