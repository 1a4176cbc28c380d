// Package journal records what a fake server was asked and what it answered: every
// exchange from the moment at which it arrives, also those that fail, that never
// end or whose answer gets lost, and every event that is sent.
//
// Nothing is left out in silence. A journal keeps a limited number of entries and
// of bytes of each body ([Limits]); entries tell how long their bodies were,
// [Journal.Dropped] tells how many entries had to go, and the counts of
// [Journal.Counts] go on counting. Tokens are never kept.
//
//	entries, err := server.Journal().WaitFor(ctx, 1, journal.Filter{Operation: "arq:update", Finished: true}.Match)
package journal
