# The fake Cyborg as an image that holds one static binary:
#
#   docker build --tag fakecyborg .
#   docker run --rm --publish 127.0.0.1:6666:6666 fakecyborg
#
# docs/ci.md has more. The tests run the "go build" line below.
FROM docker.io/library/golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags=-s -o /out/fakecyborg ./cmd/fakecyborg

FROM scratch
# For a Placement or Nova with a public certificate.
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/fakecyborg /fakecyborg
USER 65534:65534
# Everything that reaches the container's port is admin; publish it on loopback only.
ENV FAKECYBORG_LISTEN=0.0.0.0:6666 FAKECYBORG_EXPOSE=true
EXPOSE 6666
HEALTHCHECK --interval=2s --timeout=5s --start-period=30s CMD ["/fakecyborg", "-check", "http://127.0.0.1:6666"]
ENTRYPOINT ["/fakecyborg"]
