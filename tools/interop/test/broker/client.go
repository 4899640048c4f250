// A program with the official Go SDK: it logs in by default options, and calls a tool. It prints
// the page that the user has to visit, and then what the tool said.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

func say(value any) {
	text, _ := json.Marshal(value)
	fmt.Println(string(text))
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	arrived := make(chan *auth.AuthorizationResult, 1)
	go http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		arrived <- &auth.AuthorizationResult{Code: query.Get("code"), State: query.Get("state"), Iss: query.Get("iss")}
		fmt.Fprint(w, "Back at the program")
	}))
	redirect := fmt.Sprintf("http://%s/callback", listener.Addr())
	handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
		RedirectURL: redirect,
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{ClientName: "Go client", RedirectURIs: []string{redirect}},
		},
		AuthorizationCodeFetcher: func(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			say(map[string]string{"visit": args.URL})
			return <-arrived, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "go", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: os.Args[1], OAuthHandler: handler}, nil)
	if err != nil {
		log.Fatal(err)
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "who"})
	if err != nil {
		log.Fatal(err)
	}
	say(map[string]string{
		"who":      result.Content[0].(*mcp.TextContent).Text,
		"revision": session.InitializeResult().ProtocolVersion,
	})
	session.Close()
}
