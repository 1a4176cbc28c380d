package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/go-chi/chi/v5"

	"github.com/novacyborg/novacyborg/fakecyborg"
)

func bareRows() []*row {
	var rows []*row
	for _, connections := range []int{1, 16} {
		rows = append(rows, &row{
			What:     fmt.Sprintf("fakecyborg: read one ARQ, %s", connectionsText(connections)),
			Peer:     "a chi handler that writes the same bytes",
			Relation: "of its rate", Goal: goal{atLeast: 0.7},
		})
	}
	return rows
}

func connectionsText(n int) string {
	if n == 1 {
		return "1 connection"
	}
	return fmt.Sprintf("%d connections", n)
}

// measureBare compares the fake with what Go's server and router need for the same answer.
func measureBare(ctx context.Context, r *results) error {
	server, err := fakecyborg.New(fakecyborg.WithSeedYAML("seed.yaml", seedText))
	if err != nil {
		return err
	}
	defer server.Close()
	fake := httptest.NewServer(server)
	defer fake.Close()
	if err := makeProfiles(ctx, newAPI(fake.URL, 1)); err != nil {
		return err
	}
	arqs, err := makeARQs(ctx, newAPI(fake.URL, 1), oneProfile)
	if err != nil {
		return err
	}
	path := "/v2/accelerator_requests/" + arqs[0]
	_, body, err := newAPI(fake.URL, 1).call(ctx, http.MethodGet, path, "")
	if err != nil {
		return err
	}
	router := chi.NewRouter()
	router.Get("/v2/accelerator_requests/{uuid}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})
	bare := httptest.NewServer(router)
	defer bare.Close()
	for i, connections := range []int{1, 16} {
		read := func(url string) side {
			a := newAPI(url, connections)
			return side{block: 16 * connections, blocks: r.amount.of(10), do: func(ctx context.Context) error {
				return a.want(ctx, http.MethodGet, path, "", nil, http.StatusOK)
			}}
		}
		both := comparison{rounds: 20 * r.amount.rounds, workers: connections, ours: read(fake.URL), theirs: read(bare.URL)}
		ours, theirs, err := both.run(ctx)
		if err != nil {
			return err
		}
		r.Bare[i].rate(ours, theirs)
	}
	return nil
}
