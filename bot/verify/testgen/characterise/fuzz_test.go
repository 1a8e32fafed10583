package characterise

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/fettle-dev/fettle/bot/code"
)

// What the drivers say comes from a process that foreign code runs in.
func FuzzRecordsAndOutcomes(f *testing.F) {
	f.Add([]byte(`{"spot":0,"args":[{"k":"list","o":"[","c":"]","e":[{"k":"int","t":"1"}]}],"recv":{"class":"A","args":[]},"before":[{"name":"b","args":[]}]}`))
	f.Add([]byte("{\"begins\":0}\n{\"broken\":\"SyntaxError\"}\n{\"begins\":1}\n" + `{"id":1,"value":"None","after":["[]"],"raises":"ValueError"}`))
	f.Add([]byte(`{"spot":0,"args":[{"k":"float","t":"NaN"}],"recv":{"class":""}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		one := &target{lang: code.Python, numbers: []string{"3"}, class: "A"}
		one.Name = "f"
		var r record
		if json.Unmarshal(data, &r) == nil {
			list := inputs(one, []record{r}, 1)
			if len(list) > maxCalls {
				t.Errorf("%d inputs", len(list))
			}
			for _, c := range list {
				_ = c.write(true)
			}
		}
		told := watched(bytes.Split(data, []byte("\n")), 2)
		for i, s := range told {
			if s.calls != nil && (!s.begun || s.err != nil) {
				t.Errorf("text %d was observed, and was not begun or loaded: %+v", i, s)
			}
		}
		got := told[1].calls
		m := &matrix{now: got, src: []byte("raise ValueError")}
		for id := range got {
			c := call{id: id, t: one, rec: r}
			_ = m.pinned(c)
			_ = m.words(c, got[id])
		}
	})
}
