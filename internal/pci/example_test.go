package pci_test

import (
	"errors"
	"fmt"

	"github.com/novacyborg/novacyborg/internal/pci"
)

func ExampleParse() {
	a, err := pci.Parse("0", "0xC", "00", "1")
	fmt.Println(a, err)
	// Output: 0000:0c:00.1 <nil>
}

func ExampleParseAddress() {
	_, err := pci.ParseAddress("10001:8a:00.0")
	fmt.Println(errors.Is(err, pci.ErrWideDomain))
	// Output: true
}
