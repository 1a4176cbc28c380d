package placementtest

// problem is why the state refuses a write. The handlers turn it into a fault: which status and words it gets depends on the path.
type problem struct {
	kind problemKind
	text string
}

// problemKind sorts problems by what a caller can do about them.
type problemKind int

const (
	// unknownClass is a resource class that does not exist.
	unknownClass problemKind = iota
	// inventoryInUse is an inventory that cannot go while a consumer has some of it.
	inventoryInUse
	// invalidInventory is an allocation that the inventories do not allow: absent, against the unit rules, or above capacity.
	invalidInventory
)
