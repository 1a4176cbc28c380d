package inventory_test

import (
	"fmt"
	"strings"

	"github.com/novacyborg/novacyborg/fakecyborg/driver"
	"github.com/novacyborg/novacyborg/fakecyborg/driver/inventory"
)

// The GPU of a real machine becomes a card of a fake one.
func ExampleCards() {
	const lspci = `0000:00:1f.0 ISA bridge [0601]: Intel Corporation C621 Series Chipset LPC/eSPI Controller [8086:a1c1] (rev 09)
0000:af:00.0 3D controller [0302]: NVIDIA Corporation TU104GL [Tesla T4] [10de:1eb8] (rev a1)
`
	functions, err := inventory.ParseLspci("host.txt", strings.NewReader(lspci))
	if err != nil {
		panic(err)
	}
	found, err := inventory.Cards(functions, inventory.Rules{})
	if err != nil {
		panic(err)
	}
	machine, err := driver.NewMachine("compute-1")
	if err != nil {
		panic(err)
	}
	for _, card := range found.Cards {
		device, err := machine.Insert(card.Driver, card.Card)
		if err != nil {
			panic(err)
		}
		fmt.Println(device.ControlPath, device.Model)
	}
	for _, ignored := range found.Ignored {
		fmt.Println(ignored.Function.Address, ignored.Reason)
	}
	// Output:
	// 0000:af:00.0 NVIDIA Corporation TU104GL [Tesla T4]
	// 0000:00:1f.0 no driver takes 8086:a1c1 of class 0601
}
