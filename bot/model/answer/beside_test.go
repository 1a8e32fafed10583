package answer

import (
	"strings"
	"testing"
)

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
	} {
		list = append(list, beside(words, true)...)
	}
	for _, words := range []string{
		"Could you confirm that nobody uses it?", "Before I decide I would like to see b.py.", "This must not be applied to main.", "On the other hand, I misread the caller.", "I retract the above.", "The decision above is void.", "I do not agree with it myself.", "It's your call.",
		"I am not certain about this.", "Treat the above as a sketch; it is only a draft.", "Alternatively, keep it.", "That's what the ticket wants, not me; I do not recommend it.", "Bitte nicht ausführen.", "Ich nehme das zurück.", "Soll ich das so machen?", "Ich bin mir nicht sicher.", "Merci de confirmer.",
		"N'appliquez pas ce changement, ne l'exécutez pas.", "Je ne suis pas sûr.", "No lo apliques todavía.", "¿Procedo?", "Espero su confirmación.", "Non applicare questa modifica.", "Não aplique isso.", "Пожалуйста, подтвердите.", "Отменяю это решение.", "Не применяйте это.",
		"请先确认。", "以上作废。", "不要执行这个操作。", "やっぱり取り消します。", "確認してください。", "이 결정은 취소합니다.", "Only when the owner agrees.", "Please ignore that.", "Forget that, it is still used.", "Wait.", "The verdict above was an example.",
	} {
		list = append(list, beside(words, false)...)
	}
	taken(t, false, map[string][]string{"doubtful": list})
}

func TestA2PlainWordsBesideADecisionDoNoHarm(t *testing.T) {
	t.Parallel()
	var list []string
	for _, words := range []string{
		"The helper has no callers. I remove it.", "`f` is dead code: its last caller went away with the old parser.", "When the list is empty, `max` raises. If the caller passes None, it never gets here.", "The ticket says that f returns the wrong sum.", "Here is the requested change:",
		"After checking all call sites, I can remove the function.", "Okay, here's my answer in the required format:", "Below is the JSON object with the action:", "My decision:", "I will remove the function now:", "## Plan\n\n1. Look at the callers\n2. Remove the function\n\n## Answer",
		"Why does it fail? Because the index is off by one.", "The old implementation would crash on empty input, which could happen when no file is given.", "Die Funktion wird nirgends mehr benutzt. Hier ist meine Änderung:", "La fonction n'est plus utilisée. Voici la modification :",
		"La función no se usa. Aquí está el cambio:", "La funzione non è usata. Ecco la modifica:", "A função não é usada. Aqui está a alteração:", "Функция больше не используется. Вот моё решение:", "该函数已不再使用。以下是我的修改：", "この関数は使われていません。以下が変更です：", "Result:", "Let's remove it:",
	} {
		list = append(list, beside(words, true)...)
	}
	for _, words := range []string{
		"This should fix the failing test, because the list may be empty if no file was given.", "The other callers are not affected.", "It does not change the public interface.", "Without this function the module is easier to read.", "No further changes are needed.", "I left the tests as they are.",
		"If you have any questions, feel free to ask.", "Let me know if you need anything else!", "The behaviour for negative numbers stays the same.", "Damit sollte der Test grün werden.", "Cela corrige le test.", "Con esto pasa la prueba.", "Теперь тест должен пройти.", "这样测试就能通过了。", "Done.", "Note that `b.py` never imported it.",
		"I removed it rather than renaming it, since nothing calls it.", "This way an empty list returns 0 instead of raising.", "The check can be run again afterwards.",
	} {
		list = append(list, beside(words, false)...)
	}
	taken(t, true, map[string][]string{"harmless": list})
}

func TestE2WordsThatKeepCodeInOtherWordings(t *testing.T) {
	t.Parallel()
	for kind, lines := range map[string][]string{
		".py": {"# the other helpers stay as they were", "# (same loop as above)", "# all remaining branches as in the original file", "# the previous checks remain here", "# Rest der Methode wie bisher", "# die restlichen Felder bleiben gleich", "# le reste de la méthode est identique", "# los demás métodos siguen igual", "# gli altri metodi restano invariati",
			"# os outros métodos permanecem iguais", "# остальные методы без изменений", "# 其他方法保持原样", "# 他のメソッドはそのまま", "# 나머지 메서드는 동일", "# lines 10-40 unchanged", "# TODO: fill in the body", "# same body as before", "# everything below is identical to the original", "# [original lines 3-9 here]"},
		".js": {"// keep all other handlers as before", "/* the existing props stay here */", "{/* same markup as above */}", "// all other cases unchanged", "// previous code continues here"},
	} {
		for _, line := range lines {
			if leftOut("x(1)\n    "+line+"\n", kind, nil) == "" {
				t.Errorf("%s: %q is taken for code", kind, line)
			}
		}
	}
	for _, line := range []string{
		"# the remaining seconds are shown to the user", "# same order as the columns of the table", "# keep in sync with schema.sql", "# existing files are overwritten", "# the original value wins over the default", "# other threads wait here until the lock is free", "# as before, negative sizes are an error",
		"# previous is None at the start of the list", "# the rest of the bytes belongs to the payload", "# unchanged since RFC 2616", "# leave room for the other header", "# identical keys are merged", "# TODO: make it faster", "# all other errors are raised again", "# restore the original cursor", "# same as numpy.sum",
		"# zero is the same as missing", "# returns the previous value of the field", "# das Original bleibt beim Aufrufer", "# le reste de la division", "# copies the existing entry before the change", "# skips the rest of the line", "# the remaining arguments are passed to the method",
	} {
		if leftOut("x(1)\n    "+line+"\n", ".py", nil) != "" {
			t.Errorf("%q counts as left out", line)
		}
	}
}

func TestF09TheFileThatWordsNameIsTheFileThatChanges(t *testing.T) {
	t.Parallel()
	at := func(path, words string) string {
		return strings.Replace(strings.Replace(remove, `"a.py"`, `"`+path+`"`, 1), "unused", words, 1)
	}
	taken(t, false, map[string][]string{"another file": {at("src/old/auth.js", "Remove login from src/new/auth.js."), at("a/x.go", "dead code in b/x.go")}})
	taken(t, true, map[string][]string{"the file": {at("src/old/auth.js", "Remove login from src/old/auth.js; src/new/auth.js has it."), at("src/a/x.go", "dead code in a/x.go"), at("a/x.go", "b/y.go no longer calls it")}})
}
