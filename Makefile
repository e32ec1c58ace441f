# make test is the one check: it installs what it needs and runs everything.

GO ?= go

.PHONY: run test tools lint unit bench clean

run:
	$(GO) run ./cmd/sluice

test: tools lint unit

tools:
	@sh .ci/tools

lint:
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "gofmt would change:" $$unformatted; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

# The end-to-end tests are Go tests too: cmd/sluice builds the binary and drives it
# with real clients. -p 1: they measure nothing, but they do wait for each other.
unit:
	$(GO) test -race -timeout 14m ./...

# What docs/performance.md shows, measured here and written there: ten minutes, or one
# with QUICK=1. REDIS_CELL=libredis_cell.so measures that module too.
bench:
	@sh .ci/tools bench
	$(GO) build -o sluice ./cmd/sluice
	./sluice bench report $(if $(QUICK),--quick) $(if $(REDIS_CELL),--redis-cell '$(abspath $(REDIS_CELL))')

clean:
	rm -rf sluice sluice-data
