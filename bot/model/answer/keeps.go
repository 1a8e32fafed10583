package answer

import (
	"strings"

	"github.com/fettle-dev/fettle/bot/code"
	"github.com/fettle-dev/fettle/bot/lazyregexp"
)

// A comment that stands for code speaks about text: that it is there already,
// elsewhere, or the same. A comment that describes code speaks about what runs,
// in words of its own. So a comment stands for code when at least two of its
// words are signs of keeping, one of them strong, and at most one word is
// neither such a sign nor a name of a piece of code nor a word that binds.

var (
	// strongly says that what was there is there still, or is not shown.
	strongly = stems(`same identical unchanged unmodified untouched unaltered existing original originals previous previously rest reste resto restes remaining remainder omitted elided intact verbatim prior before
		unverändert übrig rest restlich bestehend vorhanden bisherig bisher ursprünglich gleich identisch zuvor ausgelassen weggelassen
		restant inchang existante identique origine original précédent même omis
		restante igual iguales existente original idéntic anterior mismo misma omitid cambios
		igual iguais inalterad existente restante anterior mesmo mesma idêntic alteraçõ alterações
		invariat esistent rimanent restant origina identic stesso precedente omess
		остальн существующ прежн неизмен изменени исходн оставш предыдущ пропущен`)
	// weakly goes with it.
	weakly = stems(`other others all keep kept keeps leave left stay stays remain remains here above below earlier still already continue continues as in etc elsewhere too also
		andere andern alle bleib bleiben bleibt wie hier oben unten weiter behalten
		autres tous toutes garder conserver ici avant dessus
		otros otras demás todos todas mantener aquí sin antes arriba como queda quedan
		outros outras demais todos todas manter aqui sem antes acima como permanece
		altri altre tutti mantenere qui come prima sopra resta restano
		другие все оставить здесь как выше раньше без остается остаётся`)
	// pieces are names of what code is made of.
	pieces = stems(`code method function logic implementation body line file class component module import test case field attribute propert prop part statement definition declaration helper route handler section block variable style rule markup switch loop branch
		condition if else try catch check validation setup query type struct enum constant member export content element item entry entries option button form column key value argument parameter param docstring comment return init constructor getter setter
		methode funktion logik zeile datei klasse felder teil rumpf zweig code
		méthode fonction logique ligne fichier classe champs corps partie
		método funci lógica línea líneas archivo clase campos cuerpo parte código codigo
		função funções linha linhas arquivo classe corpo
		metodo metodi funzion logica riga righe campi corpo codice parte
		код метод функци логик строк файл класс пол тел част`)
	binding = set(`the a an is are was were of this that these those it its they them my your our to from for on at with and or on be will would no not any changes change end start top bottom now exactly just so there where lines onwards down up
		der die das den dem des von vom im in und so nicht sind ist wird werden sonst
		le la les du de des l d et est sont sans ce cette que
		el los las del y es son se no que o lo en su
		os do da dos das e são está estão
		il i gli dello della dei delle ed sono è e
		и в на не это эта эти`)
	// todo asks the reader to write what is missing; one that names what is to come
	// is a note
	todo = lazyregexp.New(`(?i)^\W*(?:todo|fixme|xxx|tbd)\b\W*(?:\w+\W+)?(?:implement|fill (?:in|out)|write|finish|complete|insert|implementieren|implémenter|implementar|implementare|реализовать)\b` +
		`(?:\W+(?:this|it|me|the|your|actual|real|rest|remaining|of|logic|body|code|function|method|here|implementation|later|properly|that))*\W*(?:$|.{0,40}\bhere\W*$)`)
	past = lazyregexp.New(`(?i)\b(?:returned|raised|used|expected|held|treated|handled|gave|took|made|got|did)\b`)
	span = lazyregexp.New(`\d+ ?(?:-|–|to|bis|à) ?\d+`) // of lines
	// signs of keeping in writings without spaces; two of them stand for code
	together = lazyregexp.New(`不变|不動|保持|保留|省略|原有|原来|原先|之前|同上|照旧|其余|其他|其它|剩余|剩下|现有|已有|未修改|没有变化|代码|函数|方法|逻辑|实现|部分|内容|字段|残り|既存|同じ|変更な|変更し|そのまま|以前|元の|上記|コード|メソッド|関数|処理|기존|나머지|동일|그대로|변경|생략|이전|코드|메서드|함수|로직`)
	keptWide = lazyregexp.New(`不变|保持|保留|省略|原有|原来|原先|同上|照旧|其余|剩余|剩下|现有|未修改|残り|既存|同じ|変更な|そのまま|元の|기존|나머지|그대로|생략`)
)

// minStem is from how many letters on the beginning of a word tells it. With
// fewer, a word of one language begins like another's: restore, priority.
const minStem = 6

// stems are the beginnings of words; short ones are whole words, or plurals.
func stems(text string) func(string) bool {
	all := strings.Fields(text)
	return func(w string) bool {
		for _, s := range all {
			more, begins := strings.CutPrefix(w, s)
			if begins && (strings.Contains(" s n e r es en er", " "+more) && len(more) <= 2 || len([]rune(s)) >= minStem && len([]rune(more)) <= 3) {
				return true
			}
		}
		return false
	}
}

// maxKeeping is of how many words a comment that stands for code is at most.
const maxKeeping = 14

// keeps tells whether a comment's words say of code only that it is kept.
func keeps(words string) bool {
	if todo.MatchString(words) {
		return true
	}
	if len([]rune(words)) <= 24 && keptWide.MatchString(words) && len(together.FindAllString(words, -1)) >= 2 {
		return true
	}
	if code.Describes(words) && !span.MatchString(words) {
		return false
	}
	list := wordish.FindAllString(strings.ToLower(words), -1)
	if len(list) < 2 || len(list) > maxKeeping {
		return false
	}
	strong, weak, named, other := 0, 0, 0, 0
	for i, w := range list {
		before := w == "before" && (i == 0 || list[i-1] != "as" && !strongly(list[i-1])) // a time, no sign
		switch {
		case strongly(w) && !before:
			strong++
		case weakly(w):
			weak++
		case pieces(w):
			named++
		case binding[w], !strings.ContainsFunc(w, isLetter):
		default:
			other++
		}
	}
	if span.MatchString(words) {
		weak++
	}
	signs := strong + weak
	if other > 0 && past.MatchString(words) { // what something did
		return false
	}
	if other > 0 { // one more word, such as the name of what is kept
		return other == 1 && (signs >= 3 || strong > 0 && signs >= 2 && named > 0)
	}
	return strong > 0 && signs >= 2 || signs >= 3
}

// plainWords tells words of a comment, or in brackets that hold no code.
func plainWords(line, words string) bool {
	return words != line && (comment.MatchString(line) || strings.Contains(words, " ") && !operator.MatchString(words))
}
