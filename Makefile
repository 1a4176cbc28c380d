# Short names for the usual commands; .ci/ holds what they do.
.PHONY: test race bench lint format ci licences release

test:
	go test ./...

race:
	go test -race -shuffle=on ./...

bench:
	go run ./functional/bench

lint:
	bash .ci/lint.sh

format:
	go tool -modfile=tools.mod golangci-lint fmt

ci:
	bash .ci/run

licences:
	bash .ci/licences.sh -write docs/licences.md

release:
	bash .ci/release.sh
