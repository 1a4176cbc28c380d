package openstack

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// mostWords bounds what is kept of a text of the cloud, in bytes.
const mostWords = 600

// wordsOf reads what a service says in the body of an error: {"forbidden": {"message": …}} of Nova and Cinder,
// {"NeutronError": {"type": …, "message": …}}, {"error": {"message": …}} of Keystone, or plain text and HTML of
// Glance and proxies.
func wordsOf(body []byte) string {
	var outer map[string]json.RawMessage
	if json.Unmarshal(body, &outer) == nil {
		for _, raw := range outer {
			var inner struct{ Type, Message string }
			if json.Unmarshal(raw, &inner) == nil && inner.Message != "" {
				return short(strings.TrimSpace(inner.Type + " " + inner.Message))
			}
		}
		var message string
		if json.Unmarshal(outer["message"], &message) == nil {
			return short(message)
		}
	}
	return short(tag.ReplaceAllString(string(body), " "))
}

var tag = regexp.MustCompile(`<[^<>]*>`)

// short makes one line of a text, and cuts it.
func short(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) > mostWords {
		text = strings.ToValidUTF8(text[:mostWords], "") + "…"
	}
	return text
}

// clues are what texts of Nova, Neutron, Cinder and Cyborg have in them. The first that is found counts: NoValidHost and
// MaxRetriesExceeded quote what went wrong on the last host, which may be anything.
var clues = []struct {
	class error
	words *regexp.Regexp
}{
	// nova/accelerator/cyborg.py:_call_cyborg, which the API tells as an error of the device profile.
	{elasticpool.ErrTransient, regexp.MustCompile(`could not communicate with cyborg|image \S+ is not active`)},
	{elasticpool.ErrQuota, regexp.MustCompile(`quota|limitexceeded|too many servers|maximum number of (ports|volumes|instances|servers)`)},
	{elasticpool.ErrCapacity, regexp.MustCompile(`no valid host|exceeded max(imum|\s)|not enough hosts|no more (fixed )?ip|` +
		`no fixed ip|ipaddressgenerationfailure|nomorefixedips|insufficient|no free |not enough free|` +
		`acceleratorrequest|accelerator request|attachhandle|\barqs?\b`)},
	{elasticpool.ErrInvalid, regexp.MustCompile(`(image|flavor|device profile|network|key ?pair|security group|volume type)\b.*` +
		`(not (be )?found|unacceptable|too small|not exist|invalid|nothing)|(invalid|multiple possible|unacceptable|no such) \w* ?` +
		`(image|flavor|device profile|network|key)|flavor's disk is too small|deviceprofileerror`)},
}

// classOfWords finds the class that a text tells, or nil.
func classOfWords(text string) error {
	text = strings.ToLower(text)
	for _, clue := range clues {
		if clue.words.MatchString(text) {
			return clue.class
		}
	}
	return nil
}

// ClassOfFault returns the class of what Nova says of a server in state ERROR (Server.Fault): ErrCapacity when no host,
// accelerator or address was found, ErrQuota, ErrInvalid when the image, flavor or device profile cannot work, or
// ErrTransient for everything else.
func ClassOfFault(fault string) error {
	return firstError(classOfWords(fault), elasticpool.ErrTransient)
}
