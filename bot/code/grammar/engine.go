// Package grammar runs tree-sitter with its grammars as WebAssembly modules
// inside the process: source bytes in, a flat table of syntax nodes out. A
// module is memory-safe whatever the input; size, memory and time of a parse
// are bounded (whatever loops in it asks every few milliseconds whether to
// stop, see module/meter.c), and a parse that hits a bound or traps costs only
// its own instance.
//
// The grammars of PHP and of C and C++ are modules of their own, started when
// one of their languages is first parsed: their tables would nearly double the
// memory of every instance, and compiling them the first start of a process
// (BenchmarkStart).
//
// The modules are built from pinned sources by module/build.sh and committed
// packed, with their SHA-256 beside them. They must never read files of a
// repository, and nothing but package code should use them.
package grammar

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/imports/wasi_snapshot_preview1"
)

//go:embed *.wasm.zst
var packed embed.FS

// Sums holds the SHA-256 of each module, unpacked and packed, in the format of
// sha256sum.
//
//go:embed languages.sha256
var Sums string

// The languages, module by module; the order is the contract with build.sh.
const (
	Python = iota
	JavaScript
	TypeScript
	TSX
	Go
	Java
	Rust
	Ruby
	PHP
	C
	CPP
	languages
)

// modules are the files that hold the languages [first, end).
var modules = []*module{{name: "languages", first: Python, end: PHP}, {name: "php", first: PHP, end: C}, {name: "cpp", first: C, end: languages}}

type module struct {
	name       string
	first, end int
	once       sync.Once
	engine     *engine
	err        error
}

// shared starts the module once per process, at the first parse.
func (m *module) shared() (*engine, error) {
	m.once.Do(func() { m.engine, m.err = m.start() })
	return m.engine, m.err
}

// Bounds of one parse.
const (
	MaxBytes      = 8 << 20          // largest source text, in bytes
	bigBytes      = 1 << 20          // texts above are parsed one at a time
	memoryPages   = 12288            // 768 MiB of 64 KiB pages an instance may grow to
	recycleBytes  = 48 << 20         // an instance that grew beyond is not kept
	recycleParses = 4000             // nor one that has parsed this often
	maxTime       = 20 * time.Second // of one parse, when the caller set no earlier deadline
)

// Errors of Parse, to be told apart with errors.Is.
var (
	ErrTooLarge = errors.New("source text is too large to parse")
	ErrStopped  = errors.New("parsing stopped")
)

// engine is a compiled module with its idle instances.
type engine struct {
	runtime  wazero.Runtime
	compiled wazero.CompiledModule
	idle     chan *instance
	names    []func() (*Names, error)
}

// big lets large texts in one at a time, whatever module they need.
var big = make(chan struct{}, 1)

// start compiles the module, or loads it compiled from the user's cache folder.
func (m *module) start() (*engine, error) {
	ctx := context.Background()
	wasm, err := m.unpack()
	if err != nil {
		return nil, err
	}
	e := &engine{idle: make(chan *instance, max(2, runtime.GOMAXPROCS(0)))}
	config := wazero.NewRuntimeConfig().WithMemoryLimitPages(memoryPages)
	if cache := compilationCache(); cache != nil {
		config = config.WithCompilationCache(cache)
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, config)
	if _, err := wasi_snapshot_preview1.Instantiate(ctx, e.runtime); err != nil {
		return nil, fmt.Errorf("start the parser module: %w", err)
	}
	stop := func(ctx context.Context) uint32 {
		if ctx.Err() != nil {
			return 1
		}
		return 0
	}
	_, err = e.runtime.NewHostModuleBuilder("fettle").NewFunctionBuilder().WithFunc(stop).Export("stop").Instantiate(ctx)
	if err != nil {
		return nil, fmt.Errorf("start the parser module: %w", err)
	}
	e.compiled, err = e.runtime.CompileModule(ctx, wasm)
	if err != nil {
		return nil, fmt.Errorf("compile the parser module: %w", err)
	}
	for lang := range m.end - m.first {
		e.names = append(e.names, sync.OnceValues(func() (*Names, error) { return e.readNames(lang) }))
	}
	return e, nil
}

func (m *module) unpack() ([]byte, error) {
	data, err := packed.ReadFile(m.name + ".wasm.zst")
	if err != nil {
		return nil, fmt.Errorf("unpack the parser module: %w", err)
	}
	// No stream: one that is started beside DecodeAll competes with it for the
	// decoder's blocks, and now and then both wait for ever.
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, fmt.Errorf("unpack the parser module: %w", err)
	}
	defer d.Close()
	wasm, err := d.DecodeAll(data, nil)
	if err != nil {
		return nil, fmt.Errorf("unpack the parser module: %w; rebuild it with make wasm", err)
	}
	return wasm, nil
}

// compilationCache is a folder of the user's own where the compiled module is
// kept, or nil where there is none: then each process compiles anew.
func compilationCache() wazero.CompilationCache {
	base, err := os.UserCacheDir()
	if err != nil {
		return nil
	}
	dir := filepath.Join(base, "fettle", "wasm")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil
	}
	cache, err := wazero.NewCompilationCacheWithDir(dir)
	if err != nil {
		return nil
	}
	return cache
}

// instance is one copy of the module with its own memory; not safe for use by
// two goroutines at once.
type instance struct {
	module  api.Module
	parse   api.Function
	table   api.Function
	alloc   api.Function
	release api.Function
	parses  int
}

func (e *engine) take(ctx context.Context) (*instance, error) {
	select {
	case in := <-e.idle:
		return in, nil
	default:
	}
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions("_initialize")
	m, err := e.runtime.InstantiateModule(withMemory(context.WithoutCancel(ctx)), e.compiled, config)
	if err != nil {
		return nil, fmt.Errorf("start a parser: %w", err)
	}
	f := m.ExportedFunction
	return &instance{
		module: m, parse: f("f_parse"), table: f("f_table"), alloc: f("f_alloc"), release: f("f_release"),
	}, nil
}

// give puts a healthy, small instance back and closes any other.
func (e *engine) give(in *instance, healthy bool) {
	if healthy && in.parses < recycleParses && in.module.Memory().Size() <= recycleBytes {
		select {
		case e.idle <- in:
			return
		default:
		}
	}
	_ = in.module.Close(context.Background())
}
