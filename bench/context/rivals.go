package main

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/memory"
)

// ranked is a place as a way of ranking gives it.
type ranked struct {
	path       string
	start, end int
	bytes      int
	callable   bool
}

// document is a piece of a file, for the rivals.
type document struct {
	ranked
	name   string
	counts map[string]int
	words  int
	lower  string
}

// corpus is what the rivals rank in: the same regions that the index has, and the
// files.
type corpus struct {
	parsed map[string][]document // by blob and path
	pieces []*document
	files  []*document
}

// plainWords are a text's words in lower case, as they are.
func plainWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

func newDocument(at ranked, name, text string) document {
	d := document{ranked: at, name: name, counts: map[string]int{}, lower: strings.ToLower(text)}
	for _, w := range plainWords(at.path + " " + text) {
		d.counts[w]++
		d.words++
	}
	return d
}

// at reads the tree.
func (c *corpus) at(ctx context.Context, src memory.Source) error {
	c.pieces, c.files = nil, nil
	for _, f := range src.Files {
		if code.LanguageOf(f.Path) == code.Unknown || f.Size > 1<<20 {
			continue
		}
		key := f.Hash + f.Path
		docs, ok := c.parsed[key]
		if !ok {
			text, err := src.Read(f.Path)
			if err != nil {
				return err
			}
			regions, err := code.Regions(ctx, f.Path, text)
			if err != nil {
				return err
			}
			docs = []document{newDocument(ranked{f.Path, 1, strings.Count(string(text), "\n") + 1, len(text), false}, "", string(text))}
			for _, r := range regions {
				if r.Kind == code.KindClass || r.Kind == code.KindModule || r.Kind == code.KindBlock {
					continue
				}
				docs = append(docs, newDocument(ranked{f.Path, r.StartLine, r.EndLine, r.EndByte - r.StartByte, r.Kind == code.KindFunction || r.Kind == code.KindMethod}, r.QualifiedName, string(text[r.StartByte:r.EndByte])))
			}
			c.parsed[key] = docs
		}
		c.files = append(c.files, &docs[0])
		for i := range docs[1:] {
			c.pieces = append(c.pieces, &docs[i+1])
		}
	}
	return nil
}

func order(docs []*document, score func(*document) float64) []ranked {
	type scored struct {
		*document
		s float64
	}
	var all []scored
	for _, d := range docs {
		if s := score(d); s > 0 {
			all = append(all, scored{d, s})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.s, a.s), cmp.Compare(a.path, b.path), cmp.Compare(a.start, b.start))
	})
	out := make([]ranked, len(all))
	for i, s := range all {
		out[i] = s.ranked
	}
	return out
}

// distinct are a query's words of three letters or more, each once.
func distinct(query string) []string {
	var out []string
	for _, w := range plainWords(query) {
		if len(w) > 2 && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// byWords counts the words that stand in a text, as a search with rg for each
// would.
func byWords(docs []*document, query string) []ranked {
	words := distinct(query)
	return order(docs, func(d *document) float64 {
		n := 0
		for _, w := range words {
			if strings.Contains(d.lower, w) {
				n++
			}
		}
		return float64(n)
	})
}

// byBM25 is the textbook's formula (Robertson and Zaragoza 2009) with k1 1.2 and b
// 0.75.
func byBM25(docs []*document, query string) []ranked {
	words := distinct(query)
	df, total := map[string]int{}, 0
	for _, d := range docs {
		total += d.words
		for _, w := range words {
			if d.counts[w] > 0 {
				df[w]++
			}
		}
	}
	average := float64(total) / float64(max(len(docs), 1))
	return order(docs, func(d *document) float64 {
		s := 0.0
		for _, w := range words {
			tf := float64(d.counts[w])
			idf := math.Log(1 + (float64(len(docs)-df[w])+0.5)/(float64(df[w])+0.5))
			s += idf * tf * 2.2 / (tf + 1.2*(0.25+0.75*float64(d.words)/average))
		}
		return s
	})
}
