package simulate

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/novacyborg/novacyborg/elasticpool"
)

// Streams of random numbers, so that one more number drawn for one purpose changes nothing elsewhere.
const (
	streamTrace = iota + 1
	streamBoot
	streamFaults
	streamPolicy
)

// random returns the generator of a stream.
func random(seed, stream uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, stream)) //nolint:gosec // a simulation must be repeatable
}

// batch is a bag of like jobs.
type batch struct {
	jobs    int
	runtime float64 // seconds, median
	request elasticpool.Resources
	cores   int64
}

// generate makes a trace whose jobs ask for load times what the cores give in the window.
func generate(s Shape, seed uint64, load float64, window time.Duration, cores int64) []Job {
	shares := 0.0
	for _, q := range s.Queues {
		shares += q.Share
	}
	var all []Job
	for i, q := range s.Queues {
		rng := random(seed, streamTrace<<8+uint64(i))
		work := load * window.Seconds() * float64(cores)
		if s.Kind == Backlog {
			all = append(all, s.backlog(rng, q, work)...)
			continue
		}
		all = append(all, s.bursts(rng, q, work*q.Share/shares, window)...)
	}
	slices.SortStableFunc(all, func(a, b Job) int { return cmp.Compare(a.Submit, b.Submit) })
	return all
}

// bursts makes the jobs of one queue: batches until they have the work (in core-seconds), at times of which the gaps
// follow a Weibull distribution in a time that runs as fast as the users of the queue work.
func (s Shape) bursts(rng *rand.Rand, q QueueShape, work float64, window time.Duration) []Job {
	batches := s.batches(rng, work)
	times := make([]float64, len(batches)+1)
	at := 0.0
	for i := range times {
		at += math.Pow(rng.ExpFloat64(), 1/s.GapShape)
		times[i] = at
	}
	clock := s.clock(q, window)
	var jobs []Job
	for i, b := range batches {
		submit := clock.at(times[i] / at)
		jobs = append(jobs, s.jobs(rng, q.Name, submit, b)...)
	}
	normalise(jobs, work)
	return jobs
}

// backlog makes jobs of one queue that wait from the start on: as many as would fill the pool alone.
func (s Shape) backlog(rng *rand.Rand, q QueueShape, work float64) []Job {
	var jobs []Job
	for _, b := range s.batches(rng, work) {
		jobs = append(jobs, s.jobs(rng, q.Name, 0, b)...)
	}
	normalise(jobs, work)
	return jobs
}

// batches draws batches until they have the work; the last is cut to what is needed.
func (s Shape) batches(rng *rand.Rand, work float64) []batch {
	var list []batch
	for sum := 0.0; sum < work; {
		b := batch{
			jobs:    clampInt(s.BatchMedian*math.Exp(s.BatchSigma*rng.NormFloat64()), s.BatchMost),
			runtime: min(s.RuntimeMedian.D().Seconds()*math.Exp(s.RuntimeSigma*rng.NormFloat64()), s.RuntimeMost.D().Seconds()),
		}
		b.cores, b.request = s.request(rng)
		each := b.runtime * float64(b.cores)
		b.jobs = min(b.jobs, clampInt(math.Ceil((work-sum)/each), s.BatchMost))
		sum += each * float64(b.jobs)
		list = append(list, b)
	}
	return list
}

// clampInt rounds x to a whole number from 1 to most.
func clampInt(x float64, most int) int { return int(max(1, min(math.Round(x), float64(most)))) }

// request draws what the jobs of a batch ask for.
func (s Shape) request(rng *rand.Rand) (int64, elasticpool.Resources) {
	cores, kind := int64(1), rng.Float64()
	if kind < s.Multicore {
		cores = multicore
	}
	request := elasticpool.Resources{elasticpool.CPUs: cores, elasticpool.Memory: cores * coreMemory}
	if rng.Float64() < s.GPU {
		request[elasticpool.GPUs] = 1
	}
	return cores, request
}

// jobs makes the jobs of a batch.
func (s Shape) jobs(rng *rand.Rand, queue string, submit time.Duration, b batch) []Job {
	jobs := make([]Job, b.jobs)
	for i := range jobs {
		runtime := b.runtime * math.Exp(s.RuntimeSpread*rng.NormFloat64())
		jobs[i] = Job{Queue: queue, Submit: submit, Runtime: max(time.Second, seconds(runtime)), Request: b.request}
	}
	return jobs
}

// normalise scales the runtimes so that the jobs have exactly the work, to a second of one job.
func normalise(jobs []Job, work float64) {
	sum := coreSeconds(jobs)
	if sum == 0 {
		return
	}
	owed := 0.0 // what rounding has left out so far
	for i := range jobs {
		cores := float64(max(1, jobs[i].Request[elasticpool.CPUs]))
		exact := jobs[i].Runtime.Seconds()*work/sum + owed/cores
		jobs[i].Runtime = max(time.Second, seconds(exact))
		owed = (exact - jobs[i].Runtime.Seconds()) * cores
	}
}

// coreSeconds returns the work of jobs.
func coreSeconds(jobs []Job) float64 {
	sum := 0.0
	for i := range jobs {
		sum += jobs[i].Runtime.Seconds() * float64(jobs[i].Request[elasticpool.CPUs])
	}
	return sum
}

// offered returns the load of a trace.
func offered(jobs []Job, cores int64, window time.Duration) float64 {
	if len(jobs) == 0 {
		return 0 // also of a window of no length
	}
	return coreSeconds(jobs) / (window.Seconds() * float64(cores))
}

// stretch moves the submissions of a trace apart or together so that it has that load over its own length.
func stretch(jobs []Job, load float64, cores int64) []Job {
	if len(jobs) == 0 {
		return jobs
	}
	length := jobs[len(jobs)-1].Submit.Seconds()
	factor := coreSeconds(jobs) / (load * float64(cores)) / max(1, length)
	moved := slices.Clone(jobs)
	for i := range moved {
		moved[i].Submit = seconds(moved[i].Submit.Seconds() * factor)
	}
	return moved
}

// cut leaves out what is submitted after the window.
func cut(jobs []Job, window time.Duration) []Job {
	end, _ := slices.BinarySearchFunc(jobs, window, func(j Job, t time.Duration) int { return cmp.Compare(j.Submit, t) })
	return jobs[:end]
}

// suits tells whether the queues that traces are generated for are the pool's.
func (s Shape) suits(pool elasticpool.Policy) error {
	for _, q := range s.Queues {
		if !slices.ContainsFunc(pool.Queues, func(p elasticpool.Queue) bool { return p.Name == q.Name }) {
			return fmt.Errorf("%w: shape.queues has %s, which is no queue of the pool", ErrConfig, q.Name)
		}
	}
	return nil
}
