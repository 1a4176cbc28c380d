// Package journal keeps what a program intends to do in a file that survives its death, and lets one program at a time be
// the one that does it.
//
// # Journal
//
// A [Journal] is a file of lines, each with a sequence number and a checksum. [Journal.Append] returns when its entry is on
// the disk; appends that come together share one write and one fsync. [Open] gives every entry back in order.
//
// A program, or its machine, may die at any moment. What Append had acknowledged is there again; what it had not may be
// there or not, but never in part: the rest of a write that was cut short is cut off by Open and told by [Journal.Torn]. A
// line that is damaged though a later write was acknowledged is another matter: no crash does that. Open refuses the file
// with a [DamageError] that names the line.
//
// [Journal.Compact] puts a snapshot into a new file and renames it over the old one. Whatever happens meanwhile, there is
// either the whole old file or the whole new one. When to compact is the caller's choice; [Journal.Due] helps.
//
// After an error of a write, the entry is not in the journal and the next Append may succeed: a disk that was full has
// room again. After a failed fsync nobody knows what is on the disk: every Append fails until Compact has written all
// anew.
//
// # Leader
//
// [Lock] makes the caller the leader of a directory, or says who is. The lock ends with the process, however that dies.
// Each leader has a generation, greater than those of all leaders before it, which is on the disk before Lock returns.
// [Leader.Check] is asked before each effect: it fails once the lock file is not the one that was locked, or another
// leader has come.
package journal
