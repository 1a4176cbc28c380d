package simulate

import (
	"slices"
	"strconv"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// queue is a queue of jobs.
type queue struct {
	name    string
	index   int
	weight  float64
	classes []*class // that may serve it
	groups  []*group // in the order in which they first appeared
	byKey   map[string]*group
	used    vector // by its running jobs
	running int64  // millionths of VMs that its running jobs fill
	waiting int64  // millionths of VMs that its waiting jobs would fill
}

// group is the jobs of a queue that ask for the same.
type group struct {
	queue   *queue
	request elasticpool.Resources
	vector  vector
	fills   int64 // millionths of a VM of the class that suits it best; 0: no class does
	waiting line
	running int
	view    []string // the id of its first waiting job
	viewOf  int      // and the job
}

// job is a job of the trace on its way.
type job struct {
	group   *group
	worker  *machine      // it runs on
	queued  time.Duration // since when it has waited
	started time.Duration // of this try
	waited  time.Duration // before this try
	first   time.Duration // start of its first try
	ended   time.Duration // well
	tries   int
	done    bool
}

func (w *world) addQueues() {
	for i, q := range w.stage.pool.Queues {
		queue := &queue{
			name: q.Name, index: i, weight: orDefault(q.Weight, 1), byKey: map[string]*group{},
			used: make(vector, len(w.space)),
		}
		for _, c := range w.stage.pool.Classes {
			if class := w.classes[c.Name]; class != nil && allows(q, c.Name) {
				queue.classes = append(queue.classes, class)
			}
		}
		w.queues = append(w.queues, queue)
		w.queueOf[q.Name] = queue
	}
}

// allows tells whether VMs of the class may serve the queue.
func allows(q elasticpool.Queue, class string) bool {
	return len(q.Classes) == 0 || slices.Contains(q.Classes, class)
}

// addJobs prepares the jobs of the trace. Jobs of queues that the pool does not have are in none.
func (w *world) addJobs() {
	trace := w.stage.trace
	w.jobs = make([]job, len(trace))
	for i := range trace {
		if q := w.queueOf[trace[i].Queue]; q != nil {
			w.jobs[i].group = q.group(w.space, trace[i].Request)
			if w.jobs[i].group.fills > 0 {
				w.left++
			}
		}
	}
}

// group returns the group of jobs that ask for that.
func (q *queue) group(space space, request elasticpool.Resources) *group {
	v := space.vector(request)
	key := v.key()
	g := q.byKey[key]
	if g == nil {
		g = &group{queue: q, request: request, vector: v, viewOf: -1}
		for _, class := range q.classes {
			if part := v.part(class.slot); class.slot.covers(v) && (g.fills == 0 || part < g.fills) {
				g.fills = max(1, part)
			}
		}
		q.byKey[key] = g
		q.groups = append(q.groups, g)
	}
	return g
}

// key returns v as a map's key.
func (v vector) key() string {
	text := make([]byte, 0, 32)
	for _, n := range v {
		text = append(strconv.AppendInt(text, n, 36), ' ')
	}
	return string(text)
}

// submit hands in all jobs that are due, and notes when the next are.
func (w *world) submit() {
	trace := w.stage.trace
	for ; w.nextJob < len(trace) && trace[w.nextJob].Submit <= w.now; w.nextJob++ {
		if w.jobs[w.nextJob].group != nil {
			w.enqueue(w.nextJob)
		}
	}
	if w.nextJob < len(trace) {
		w.agenda.note(trace[w.nextJob].Submit, w.submit)
	}
}

// enqueue lets a job wait, behind those that wait already.
func (w *world) enqueue(i int) {
	g := w.jobs[i].group
	w.jobs[i].queued = w.now
	g.waiting.push(i)
	g.queue.waiting += g.fills
}

// requeue lets a job wait again whose try has come to nothing, before all that wait.
func (w *world) requeue(i int) {
	g := w.jobs[i].group
	w.jobs[i].queued = w.now
	g.waiting.unshift(i)
	g.queue.waiting += g.fills
}

// jobID returns the id that the batch system gives to the i-th job of the trace.
func jobID(i int) string { return strconv.Itoa(i+1) + ".0" }

// jobIndex is the way back.
func jobIndex(id string) (int, bool) {
	if len(id) < len("1.0") {
		return 0, false
	}
	n, err := strconv.Atoi(id[:len(id)-len(".0")])
	return n - 1, err == nil
}

// line is jobs in the order in which they are to run.
type line struct {
	jobs []int
	from int
}

func (l *line) len() int   { return len(l.jobs) - l.from }
func (l *line) first() int { return l.jobs[l.from] }

func (l *line) push(i int) { l.jobs = append(l.jobs, i) }

func (l *line) unshift(i int) {
	if l.from == 0 {
		l.jobs = append([]int{0}, l.jobs...)
		l.from = 1
	}
	l.from--
	l.jobs[l.from] = i
}

// shift removes the first, and lets go of the memory of those before when most of it is theirs.
func (l *line) shift() int {
	i := l.jobs[l.from]
	l.from++
	if l.from == len(l.jobs) {
		l.jobs, l.from = l.jobs[:0], 0
	}
	return i
}
