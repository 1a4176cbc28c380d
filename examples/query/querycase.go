package main

import (
	"github.com/novacyborg/novacyborg/internal/casefile"
	"github.com/novacyborg/novacyborg/requestspec"
)

// answerQuery answers one line of -jsonl.
func answerQuery(c casefile.Query, mode casefile.Mode) answer {
	request, err := c.Build(mode)
	if err != nil {
		return failed(err)
	}
	query := request.Query()
	return answer{Query: &query, Findings: texts(request.Findings)}
}

func texts(findings []requestspec.Finding) []string {
	var texts []string
	for _, finding := range findings {
		texts = append(texts, finding.Error())
	}
	return texts
}
