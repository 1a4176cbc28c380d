package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// The version of EC2's query API, how long an answer may be, and how often a request is tried. All requests may be repeated: that of a
// new instance has a client token.
const (
	apiVersion = "2016-11-15"
	maxAnswer  = 64 << 20
	tries      = 3
)

// api speaks EC2's query API: forms there, XML back. The SDK's own client of EC2 has seven hundred operations and takes minutes and
// gigabytes to compile; five are needed here.
type api struct {
	endpoint    string
	region      string
	credentials aws.CredentialsProvider
	signer      *v4.Signer
	http        *http.Client
	rest        time.Duration // before the second try
}

func newAPI(c aws.Config, endpoint string) *api {
	if endpoint == "" {
		endpoint = "https://ec2." + c.Region + ".amazonaws.com/"
		if strings.HasPrefix(c.Region, "cn-") {
			endpoint = "https://ec2." + c.Region + ".amazonaws.com.cn/"
		}
	}
	return &api{
		endpoint: endpoint, region: c.Region, credentials: c.Credentials, signer: v4.NewSigner(), rest: 500 * time.Millisecond,
		http: &http.Client{
			Timeout:       time.Minute,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// apiError is an error that EC2 has answered.
type apiError struct {
	Status  int    `xml:"-"`
	Code    string `xml:"Errors>Error>Code"`
	Message string `xml:"Errors>Error>Message"`
}

func (e *apiError) Error() string { return e.Code + ": " + e.Message }

// call does an action and reads its answer.
func (a *api) call(ctx context.Context, action string, form url.Values, into any) error {
	form.Set("Action", action)
	form.Set("Version", apiVersion)
	var err error
	for try := range tries {
		if try > 0 && !sleep(ctx, a.rest<<(try-1)) {
			return errors.Join(err, context.Cause(ctx))
		}
		if err = a.once(ctx, form.Encode(), into); err == nil || !passes(err) {
			return err
		}
	}
	return err
}

// sleep waits; it is false if ctx has ended meanwhile.
func sleep(ctx context.Context, rest time.Duration) bool {
	timer := time.NewTimer(rest)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// passes tells whether a request that failed so is worth another try.
func passes(err error) bool {
	answered, ok := errors.AsType[*apiError](err)
	return !ok || answered.Status >= http.StatusInternalServerError || throttled[answered.Code]
}

// once sends a request and reads its answer.
func (a *api) once(ctx context.Context, form string, into any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.endpoint, strings.NewReader(form))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")
	if err := a.sign(ctx, request, form); err != nil {
		return err
	}
	response, err := a.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return err
	}
	if response.StatusCode == http.StatusOK {
		if err := xml.Unmarshal(body, into); err != nil {
			return fmt.Errorf("unclear answer: %w", err)
		}
		return nil
	}
	failed := &apiError{Status: response.StatusCode}
	if err := xml.Unmarshal(body, failed); err != nil || failed.Code == "" {
		return fmt.Errorf("HTTP status %s", response.Status)
	}
	return failed
}

// errCredentials marks that there are no credentials.
var errCredentials = errors.New("credentials")

func (a *api) sign(ctx context.Context, request *http.Request, form string) error {
	if a.credentials == nil {
		return fmt.Errorf("%w: none", errCredentials)
	}
	keys, err := a.credentials.Retrieve(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", errCredentials, err)
	}
	sum := sha256.Sum256([]byte(form))
	return a.signer.SignHTTP(ctx, keys, request, hex.EncodeToString(sum[:]), "ec2", a.region, time.Now())
}
