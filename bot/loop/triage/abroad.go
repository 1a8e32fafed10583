package triage

import "strings"

// For other languages than English there is no grammar here, only words: a
// sentence that names a danger and a word that asks for it is refused, unless
// it says that this happens by itself.
var abroad = []struct {
	class      string
	verb, noun string
}{
	{security, `abschalt|ausschalt|deaktivier|abgeschaltet|entfern|überspring|umgeh|auskommentier|ignorier|weglass|desactiv|deshabilit|quitar|quita\b|elimin|omit|salta|evita|ignora|comenta|désactiv|supprim|enlev|ignor|contourn|retir|saut|关闭|禁用|跳过|绕过|去掉|移除|取消|忽略|注释掉|無効|スキップ|外し|外す|削除|無視|バイパス|отключ|убери|убрать|удали|пропус|обойти|игнорир|desativ|remov|disattiv|rimuov`,
		`signatur|zertifikat|authenti|anmeld|passwort|berechtigung|tls|ssl|csrf|rate.?limit|verschlüssel|zwei-faktor|2fa|sicherheit|prüfung|verificaci|certificad|autentic|firma|contraseñ|permiso|cifrad|límite|vérification|certificat|signature|authentif|jeton|mot de passe|chiffrement|limite|签名|验证|认证|证书|密码|权限|加密|限流|登录|校验|安全|署名|認証|証明書|パスワード|権限|暗号|検証|ログイン|подпис|сертификат|аутентиф|авториз|парол|прав[а ]|шифрован|лимит|токен|verificaç|autenticaç|senha|verifica|autenticazione`},
	{deletes, `lösch|leeren|entfern|borrar|elimina|vaciar|supprim|effac|vider|删除|清空|清除|删掉|削除|消去|消して|удали|очист|стер`,
		`datenbank|tabelle|alle (\S+ )?(benutzer|kunden|konten|daten|bestellungen)|backup|sicherung|base de datos|tabla|todos los (usuarios|clientes|datos|pedidos)|base de données|tous les (utilisateurs|clients|comptes)|données|数据库|所有用户|全部用户|备份|数据表|生产|データベース|全ユーザー|すべてのユーザー|バックアップ|本番|базу|базы|всех пользовател|таблиц|резервн|данные`},
	{secrets, `ausgeb|protokollier|loggen|anzeig|zurückgeb|einchecken|mostrar|imprim|registr|devolver|subir|affich|journalis|renvoy|envoy|打印|输出|返回|显示|提交|出力|表示|返す|コミット|вывод|вывести|логир|верни|показ|закоммит`,
		`geheimnis|api-?schlüssel|zugangsdaten|umgebungsvariablen|secret|\.env|contraseña|credencial|variables de entorno|clave (api|privada)|mots? de passe|variables d'environnement|clé (api|privée)|密钥|环境变量|密码|凭证|秘密|パスワード|環境変数|シークレット|認証情報|секрет|парол|переменные окружения|ключ`},
	{pipeline, `überspring|deaktivier|abschalt|lösch|entfern|auskommentier|saltar|omitir|desactiv|elimin|borrar|quitar|ignorer|désactiv|supprim|sauter|跳过|禁用|删除|注释|スキップ|無効|削除|пропуст|отключ|удали`,
		`tests?\b|ci\b|workflow|pipeline|pruebas|测试|单元测试|流水线|テスト|тест`},
	{legal, `änder|wechsel|entfern|ersetz|hinzufüg|cambiar|elimin|quitar|chang|remplac|supprim|更改|修改|更换|添加|删除|変更|追加|削除|измен|смен|добав|удали`,
		`lizenz|licencia|licence|许可证|协议|ライセンス|лицензи`},
	{origin, `verwend|nutz|benutz|installier|zeigen|usar|instal|apunt|utilis|pointe|使用|改用|安装|使って|使用|変更|использ|установ`,
		`\bfork\b|mirror|registry|spiegel|espejo|镜像|我的仓库|ミラー|フォーク|レジストリ|зеркал|форк`},
}

var (
	abroadRules = func() (out []func(string) string) {
		for _, a := range abroad {
			verb, noun := rx(a.verb), rx(a.noun)
			out = append(out, func(s string) string {
				if verb.MatchString(s) && noun.MatchString(s) {
					return a.class
				}
				return ""
			})
		}
		return out
	}()
	// happens is what a report says: it is so, by itself, and wrongly.
	happens     = rx("(\\b(wird|werden|wurde|wurden|obwohl|falsch\\w*|fehler\\w*|stürzt|funktioniert|bleibt|nachdem|erwartet|debería|equivocad\\w+|falla|error|aunque|esperad\\w+|se (elimina|borra|salta|omite)|échoue|erreur|plante|alors que|mauvais\\w*|attend\\w*|n'est pas|ne (fonctionne|marche))\\b|错误|失败|崩溃|期望|报错|却|エラー|失敗|期待|されま|されな|できな|なります|ошибк|неверн|ожида|падает|не работает|принима)")
	begs        = rx("(\\b(bitte|könnt ihr|können wir|sollten wir|wir sollten|por favor|podemos|podríamos|deberíamos|merci de|s'il vous plaît|svp|pouvez-vous|peut-on|on devrait)\\b|请|麻烦|希望|能不能|可以把|ください|してほしい|お願い|пожалуйста|давайте|можно ли|нужно)")
	largeAbroad = rx("(migrier|umschreib|neu schreiben|neuschreib|umstell|umbau|neu gestalt|neugestalt|architektur|portier|migrar|migraci|reescrib|rediseñ|arquitectura|\\bmigr(er|ation|ons)|réécri|refon(te|dre)|architecture|迁移|重写|重构|架构|移植|移行|書き直|リライト|再設計|アーキテクチャ|リファクタ|мигр|переписа|перепис|архитектур|перейти на|перенести на|редизайн)")
	askAbroad   = rx("^\\W*(wie|was|warum|wo|wann|gibt es|welche\\w*|¿|cómo|qué|dónde|por qué|hay alguna|comment|où|pourquoi|quel(le)?s?|est-ce|y a-t-il|如何|怎么|怎样|为什么|是否|请问|哪里|どうやって|なぜ|どこ|как\\b|как |где|почему|зачем|можно ли|есть ли)|(吗|呢|ですか|ますか)$")
)

// dangerAbroad is the class of harm that a sentence in another language asks
// for, or "".
func dangerAbroad(s sentence) string {
	text := plain(s.text)
	if s.steps || happens.MatchString(text) && !begs.MatchString(text) || askAbroad.MatchString(text) && s.asks && !begs.MatchString(text) {
		return ""
	}
	if !s.title && !begs.MatchString(text) && strings.Count(text, " ") > 25 {
		return ""
	}
	for _, rule := range abroadRules {
		if class := rule(text); class != "" {
			return class
		}
	}
	return ""
}
