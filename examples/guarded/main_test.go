package main

func Example() {
	main()
	// Output:
	// paying back 40 for A1
	// refund waits: more than 50 needs a yes
	// paying back 100 for C3
	// A1 and C3 are paid back. For B2 it was too much.
}
