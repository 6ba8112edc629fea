package main

import (
	"encoding/base64"
	"fmt"
	"os"
)

func main() {
	given := os.Args[1:]
	for at := 0; at < len(given); at += 3 {
		body, _ := base64.StdEncoding.DecodeString(given[at])
		signature := given[at+1]
		if signature == "-" {
			signature = ""
		}
		fmt.Println(IsGenuine(body, signature, given[at+2]))
	}
}
