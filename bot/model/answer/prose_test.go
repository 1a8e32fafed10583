package answer

import "testing"

// beside lays words before and behind a decision.
func beside(words string, before bool) []string {
	if before {
		return []string{words + "\n\n" + remove, words + "\n```json\n" + remove + "\n```\n"}
	}
	return []string{remove + "\n\n" + words, "```json\n" + remove + "\n```\n" + words}
}

func TestF09WordsThatMakeADecisionDoubtful(t *testing.T) {
	t.Parallel()
	var list []string
	for _, words := range []string{
		"My colleague proposed:", "Copilot came up with this:", "From the ticket:", "Here is what Anna suggested:", "The log of yesterday's run ends with:", "In the README there is this snippet:", "According to the docs one should answer:",
		"Were we to drop Python 2, the answer would be:", "Suppose nobody imports it. Then:", "Had the tests run, I would answer:", "In an ideal world:", "A tempting but dangerous shortcut:", "This is how not to do it:", "What about this one?", "Might this be acceptable?",
		"Der Kollege hat vorgeschlagen:", "Angenommen, niemand benutzt es mehr. Dann:", "Im Ticket steht:", "Falls ihr zustimmt:", "Le relecteur a écrit :", "Si vous êtes d'accord :", "Un ejemplo:", "El usuario dijo lo siguiente:", "Se tutti sono d'accordo:", "O usuário escreveu:",
		"Пользователь предложил:", "Например:", "用户建议：", "如果你同意：", "例えば：", "> quoted from the mail:", "You wrote:", "Another agent answered:", "Do you mean:", "I cannot tell whether it is used, so maybe:", "Purely as an illustration:", "This was the last answer:", "Rejected:",
		"The tester proposed:", "You want me to do this:", "The planner requested:", "The README contains this.",
	} {
		list = append(list, beside(words, true)...)
	}
	for _, words := range []string{
		"Could you confirm that nobody uses it?", "Before I decide I would like to see b.py.", "This must not be applied to main.", "On the other hand, I misread the caller.", "I retract the above.", "The decision above is void.", "I do not agree with it myself.", "It's your call.",
		"I am not certain about this.", "Treat the above as a sketch; it is only a draft.", "Alternatively, keep it.", "That's what the ticket wants, not me; I do not recommend it.", "Bitte nicht ausführen.", "Ich nehme das zurück.", "Soll ich das so machen?", "Ich bin mir nicht sicher.", "Merci de confirmer.",
		"N'appliquez pas ce changement, ne l'exécutez pas.", "Je ne suis pas sûr.", "No lo apliques todavía.", "¿Procedo?", "Espero su confirmación.", "Non applicare questa modifica.", "Não aplique isso.", "Пожалуйста, подтвердите.", "Отменяю это решение.", "Не применяйте это.",
		"Let me know if you want this.", "More code blocks:", "Part 1 of 2",
		"请先确认。", "以上作废。", "不要执行这个操作。", "やっぱり取り消します。", "確認してください。", "이 결정은 취소합니다.", "Only when the owner agrees.", "Please ignore that.", "Forget that, it is still used.", "Wait.", "The verdict above was an example.",
	} {
		list = append(list, beside(words, false)...)
	}
	taken(t, false, map[string][]string{"doubtful": list})
}

func TestA2IntroductionsAndPlainStatementsBesideADecisionDoNoHarm(t *testing.T) {
	t.Parallel()
	var list []string
	for _, words := range []string{
		"The helper has no callers. I remove it.", "The issue says that f is wrong.\n\nI fix the sum and its test.", "Here is the requested change:", "Okay, here's my answer:", "Below is the JSON object with the action:", "My decision:",
		"The index is off by one. The fix:", "## Plan\n\n1. Look at the callers\n2. Remove the function\n\n## Answer", "Why does it fail? Because the index is off by one.\n\nFinal answer:", "Let me look first.", "Step 1:", "<answer>",
	} {
		list = append(list, beside(words, true)...)
	}
	for _, words := range []string{"Done.", "That's all.", "Let me know if you need anything else!", "I hope this helps!", "</answer>", "Thank you."} {
		list = append(list, beside(words, false)...)
	}
	taken(t, true, map[string][]string{"harmless": list})
}

// A verdict that lets pass is taken alone or introduced; one that does not may have its
// reasons before it.
func TestL2NothingIsSaidBesideAVerdictThatLetsPass(t *testing.T) {
	t.Parallel()
	for text, right := range map[string]bool{
		`Here is my review: {"verdict": "ACCEPT", "reason": "x"} I hope this helps!`:       true,
		`The lock is released too early. My verdict: {"verdict": "ACCEPT", "reason": "x"}`: false,
		`The lock is released too early. My verdict: {"verdict": "RETRY", "reason": "x"}`:  true,
		`{"verdict": "RETRY", "reason": "x"} It is close, though.`:                         false,
		`My verdict is FAIL. {"verdict": "RETRY", "reason": "x"}`:                          false,
	} {
		if v, _, err := Reviewer.Read(text, "stop"); (err == nil) != right {
			t.Errorf("%s: %+v %v", text, v, err)
		}
	}
}
