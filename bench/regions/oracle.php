<?php
// Lists what PHP's own tokenizer sees in files: each line of the input is a path,
// each line of the output what oracle.py describes; start is the line of the name.

function look(string $path): array
{
    $source = file_get_contents($path);
    try {
        $all = PhpToken::tokenize($source, TOKEN_PARSE);
    } catch (Throwable $e) {
        return ['file' => $path, 'error' => $e->getMessage() . ' at line ' . $e->getLine(), 'defs' => []];
    }
    $tokens = array_values(array_filter($all, fn ($t) => !$t->isIgnorable() || $t->is(T_OPEN_TAG)));
    $kinds = [T_FUNCTION => 'function', T_CLASS => 'class', T_INTERFACE => 'type', T_TRAIT => 'class', T_ENUM => 'type', T_NAMESPACE => 'module'];
    $defs = [];
    foreach ($tokens as $i => $token) {
        $before = $i > 0 ? $tokens[$i - 1] : null;
        if (!isset($kinds[$token->id]) || $before?->is([T_DOUBLE_COLON, T_NEW, T_USE, T_OBJECT_OPERATOR])) {
            continue;
        }
        $at = $i + 1;
        if (isset($tokens[$at]) && ($tokens[$at]->text === '&')) {
            $at++;
        }
        $name = $tokens[$at] ?? null;
        if ($name === null || !$name->is([T_STRING, T_NAME_QUALIFIED]) && !($token->is(T_FUNCTION) && preg_match('/^\w+$/', $name->text) && $tokens[$at + 1]->text === '(')) {
            continue;
        }
        $depth = 0;
        for ($j = $at + 1; $j < count($tokens); $j++) {
            $text = $tokens[$j]->text;
            if ($tokens[$j]->id < 256 && ($text === '{' || $text === '(' || $text === '[') || $text === '#[' || $tokens[$j]->is([T_CURLY_OPEN, T_DOLLAR_OPEN_CURLY_BRACES])) {
                $depth++;
            } elseif ($tokens[$j]->id < 256 && ($text === '}' || $text === ')' || $text === ']')) {
                $depth--;
                if ($depth === 0 && $text === '}') {
                    break;
                }
            } elseif ($text === ';' && $depth === 0) {
                break;
            }
        }
        if (!isset($tokens[$j]) || $token->is(T_NAMESPACE) && $tokens[$j]->text === ';') {
            continue;
        }
        $defs[] = [$kinds[$token->id], str_replace('\\', '.', $name->text), $name->line, $tokens[$j]->line];
    }
    return ['file' => $path, 'error' => null, 'defs' => $defs];
}

while (($line = fgets(STDIN)) !== false) {
    echo json_encode(look(rtrim($line, "\n")), JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
