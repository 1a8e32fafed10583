package judge

import (
	"context"
	"fmt"

	"github.com/fettle-dev/fettle/bot/verify"
)

// disguised asks the mended tests about the same code in other words. One that fails
// then reads the source: any change makes it pass, and any planted fault makes it fail.
func (r *run) disguised(ctx context.Context) error {
	files, err := verify.Disguised(ctx, r.product)
	if err != nil || len(files) == 0 || len(r.verdict.Fixed) == 0 {
		return err
	}
	r.in.Progress("asking the mended tests about the same code in other words")
	for range 2 { // what is red by chance is not red twice
		rep, err := r.ask(ctx, files, r.verdict.Fixed)
		if err != nil {
			return fmt.Errorf("running the mended tests on the disguised change: %w", err)
		}
		if noticed, ran := r.notices(rep); !ran || !noticed {
			return nil
		}
	}
	r.lower(Unproven, "a mended test %s", verify.ReadsSource)
	r.found("reads_source", r.product[0].Path, 0, "the mended tests depend on how the change is written, not on what it does")
	return nil
}
