// Command flows runs the repository flows of one variant under lakeproof: flows step1, or flows hardened.
package main

import (
	"fmt"
	"os"

	"lakeproof/flow"
)

func main() {
	variants := map[string]flow.Flows{"step1": step1, "hardened": hardened, "counter": counter}
	if len(os.Args) == 2 {
		if flows, ok := variants[os.Args[1]]; ok {
			flow.Serve(flows)
		}
	}
	fmt.Fprintln(os.Stderr, "usage: flows step1|hardened|counter")
	os.Exit(2)
}
