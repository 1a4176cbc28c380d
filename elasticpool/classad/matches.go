package classad

// countMatches counts the ads of a list for which a condition is true. HTCondor uses it for devices, as in
// countMatches(MY.RequireGPUs,TARGET.AvailableGPUs) >= RequestGPUs. A condition that is the name of an attribute is
// replaced by the attribute's expression first, and the list is then looked up where that ended, as in HTCondor: no
// list is found when there is no such attribute. No list counts nothing.
func countMatches(r *run, s *scope, arguments []node) Value {
	if len(arguments) != 2 {
		return Failed()
	}
	condition, in, ok := r.locate(arguments[0], s)
	if !ok {
		condition, in = arguments[0], &scope{}
	}
	among := r.eval(arguments[1], in)
	switch among.kind {
	case KindUndefined:
		return Int(0)
	case KindList:
	default:
		return Failed()
	}
	count := int64(0)
	for i := range among.list.elements {
		device := r.element(among, i, in)
		if device.kind == KindAd && r.eval(condition, device.scope.device()).IsTrue() {
			count++
		}
	}
	return Int(count)
}
