package mutate

import (
	"github.com/fettle-dev/fettle/bot/code"
)

func indexBound(s *scene, n code.Node) {
	if object, index, ok := element(n); ok {
		s.step(index, 1)
		switch index.Text() {
		case "0":
			if s.d.lang == py {
				s.put(index.Start(), index.End(), "-1", 1.5, "Take the last element instead of the first.")
			} else {
				length := map[int]string{js: object.Text() + ".length - 1", golang: "len(" + object.Text() + ")-1"}[s.d.lang]
				s.put(index.Start(), index.End(), length, 1.5, "Take the last element instead of the first.")
			}
		case "-1", "len(" + object.Text() + ")-1", object.Text() + ".length - 1", "len(" + object.Text() + ") - 1":
			s.put(index.Start(), index.End(), "0", 1.5, "Take the first element instead of the last.")
		}
		if s.d.lang != golang && index.Kind() == "identifier" {
			length := map[int]string{py: "len(" + object.Text() + ")", js: object.Text() + ".length"}[s.d.lang]
			s.put(index.Start(), index.End(), index.Text()+" % "+length, 0.2, "Wrap the index at the end.")
		}
		return
	}
	switch n.Kind() {
	case "slice", "slice_expression":
		s.sliceBounds(n)
	case "call_expression":
		fn, args, _, ok := call(n)
		if !ok {
			return
		}
		if _, m, has := member(fn); has {
			switch m.Text() {
			case "slice", "substring", "splice", "charAt", "at":
				for _, a := range args {
					s.step(a, 1)
				}
				if m.Text() == "slice" && len(args) == 1 {
					s.put(args[0].Start(), args[0].End(), "0, "+args[0].Text(), 0.6, "Take the part before the index.")
				}
			}
		}
	}
}

func (s *scene) sliceBounds(n code.Node) {
	if _, full := n.ChildByField("capacity"); full {
		return // each bound of s[a:b:c] has to stay
	}
	var bounds []code.Node
	colon := -1
	for _, c := range n.Children() {
		if c.Text() == ":" && colon < 0 {
			colon = c.Start()
		} else if c.Named() && c.Field() != "operand" && !c.IsExtra() {
			bounds = append(bounds, c)
		}
	}
	for _, b := range bounds {
		s.step(b, 1)
		if !isInteger(b) || b.Text() != "0" {
			s.put(b.Start(), b.End(), "", 0.7, "Leave out the bound %s.", one(b.Text()))
		}
	}
	if colon < 0 || len(bounds) != 1 {
		return
	}
	b := bounds[0]
	if b.Start() > colon { // [:x] -> [x:]
		s.put(colon, b.End(), b.Text()+":", 0.8, "Take the part after %s instead of before it.", one(b.Text()))
		s.put(colon, colon, "1", 0.8, "Begin the slice at 1.")
	} else {
		s.put(b.Start(), colon+1, ":"+b.Text(), 0.8, "Take the part before %s instead of after it.", one(b.Text()))
		if s.d.lang == py {
			s.put(colon+1, colon+1, "-1", 0.8, "End the slice before the last element.")
		}
	}
}
