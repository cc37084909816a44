//! Statements of other languages in the grammar of one: their little words are put into English, the rest stays.

use crate::phrase::is_little;

/// A little word or several, and what it is in English.
type Put = (&'static str, &'static str);

const GERMAN: [Put; 68] = [
    ("ab jetzt", "from now on"),
    ("ab sofort", "from now on"),
    ("künftig", "from now on"),
    ("in zukunft", "from now on"),
    ("nicht mehr", "no longer"),
    ("anstelle von", "instead of"),
    ("anstatt", "instead of"),
    ("statt", "instead of"),
    ("stattdessen", "instead"),
    ("wir", "we"),
    ("ich", "i"),
    ("der", "the"),
    ("die", "the"),
    ("das", "the"),
    ("den", "the"),
    ("dem", "the"),
    ("ein", "a"),
    ("eine", "a"),
    ("einen", "a"),
    ("unser", "our"),
    ("unsere", "our"),
    ("unseren", "our"),
    ("mein", "my"),
    ("meine", "my"),
    ("ist", "is"),
    ("sind", "are"),
    ("heißt", "is"),
    ("lautet", "is"),
    ("wurde", "was"),
    ("wurden", "were"),
    ("haben", "have"),
    ("hat", "has"),
    ("jetzt", "now"),
    ("nun", "now"),
    ("nicht", "not"),
    ("nie", "never"),
    ("niemals", "never"),
    ("kein", "no"),
    ("keine", "no"),
    ("keinen", "no"),
    ("verwenden", "use"),
    ("verwende", "use"),
    ("benutzen", "use"),
    ("benutze", "use"),
    ("nutzen", "use"),
    ("nutze", "use"),
    ("bevorzuge", "prefer"),
    ("läuft", "runs"),
    ("laufen", "run"),
    ("liegt", "lives"),
    ("liegen", "live"),
    ("geändert", "changed"),
    ("gewechselt", "switched"),
    ("umgestellt", "switched"),
    ("umgestiegen", "switched"),
    ("umgezogen", "moved"),
    ("migriert", "migrated"),
    ("ersetzt", "replaced"),
    ("umbenannt", "renamed"),
    ("für", "for"),
    ("mit", "with"),
    ("von", "from"),
    ("durch", "by"),
    ("und", "and"),
    ("auch", "also"),
    ("immer", "always"),
    ("bitte", "please"),
    ("weil", "because"),
];

const FRENCH: [Put; 50] = [
    ("à partir de maintenant", "from now on"),
    ("dorénavant", "from now on"),
    ("désormais", "now"),
    ("maintenant", "now"),
    ("au lieu de", "instead of"),
    ("au lieu d", "instead of"),
    ("à la place de", "instead of"),
    ("plus", "no longer"),
    ("nous", "we"),
    ("on", "we"),
    ("je", "i"),
    ("j", "i"),
    ("le", "the"),
    ("la", "the"),
    ("les", "the"),
    ("l", "the"),
    ("un", "a"),
    ("une", "a"),
    ("notre", "our"),
    ("nos", "our"),
    ("mon", "my"),
    ("est", "is"),
    ("sont", "are"),
    ("sommes", "are"),
    ("a été", "was"),
    ("avons", "have"),
    ("n", ""),
    ("ne", ""),
    ("pas", "not"),
    ("jamais", "never"),
    ("utilisons", "use"),
    ("utilise", "use"),
    ("utiliser", "use"),
    ("utilisez", "use"),
    ("préfère", "prefer"),
    ("passés", "switched"),
    ("passé", "switched"),
    ("migré", "migrated"),
    ("changé", "changed"),
    ("remplacé", "replaced"),
    ("renommé", "renamed"),
    ("tourne", "runs"),
    ("pour", "for"),
    ("avec", "with"),
    ("par", "by"),
    ("sur", "on"),
    ("dans", "in"),
    ("et", "and"),
    ("aussi", "also"),
    ("toujours", "always"),
];

const SPANISH: [Put; 48] = [
    ("a partir de ahora", "from now on"),
    ("de ahora en adelante", "from now on"),
    ("en lugar de", "instead of"),
    ("en vez de", "instead of"),
    ("ya no", "no longer"),
    ("ahora", "now"),
    ("nosotros", "we"),
    ("yo", "i"),
    ("el", "the"),
    ("la", "the"),
    ("los", "the"),
    ("las", "the"),
    ("un", "a"),
    ("una", "a"),
    ("nuestro", "our"),
    ("nuestra", "our"),
    ("mi", "my"),
    ("es", "is"),
    ("está", "is"),
    ("son", "are"),
    ("están", "are"),
    ("fue", "was"),
    ("hemos", "have"),
    ("no", "not"),
    ("nunca", "never"),
    ("usamos", "use"),
    ("uso", "use"),
    ("usar", "use"),
    ("usa", "use"),
    ("utilizamos", "use"),
    ("prefiero", "prefer"),
    ("cambió", "changed"),
    ("cambiado", "changed"),
    ("cambiamos", "changed"),
    ("pasamos", "switched"),
    ("pasado", "switched"),
    ("migramos", "migrated"),
    ("migrado", "migrated"),
    ("reemplazamos", "replaced"),
    ("corre", "runs"),
    ("para", "for"),
    ("con", "with"),
    ("por", "by"),
    ("en", "in"),
    ("y", "and"),
    ("también", "also"),
    ("siempre", "always"),
    ("porque", "because"),
];

const RUSSIAN: [Put; 45] = [
    ("с этого момента", "from now on"),
    ("вместо", "instead of"),
    ("больше не", "no longer"),
    ("теперь", "now"),
    ("сейчас", "now"),
    ("мы", "we"),
    ("я", "i"),
    ("наш", "our"),
    ("наша", "our"),
    ("наше", "our"),
    ("наши", "our"),
    ("мой", "my"),
    ("моя", "my"),
    ("это", "is"),
    ("не", "not"),
    ("никогда", "never"),
    ("всегда", "always"),
    ("используем", "use"),
    ("использую", "use"),
    ("используй", "use"),
    ("используйте", "use"),
    ("использует", "uses"),
    ("предпочитаю", "prefer"),
    ("перешли", "switched"),
    ("перешёл", "switched"),
    ("переехали", "moved"),
    ("переехал", "moved"),
    ("переехала", "moved"),
    ("перенесли", "moved"),
    ("мигрировали", "migrated"),
    ("обновили", "upgraded"),
    ("обновились", "upgraded"),
    ("изменился", "changed"),
    ("изменили", "changed"),
    ("сменили", "changed"),
    ("заменили", "replaced"),
    ("переименовали", "renamed"),
    ("работает", "runs"),
    ("работают", "run"),
    ("в", "in"),
    ("для", "for"),
    ("через", "through"),
    ("и", "and"),
    ("также", "also"),
    ("пожалуйста", "please"),
];

/// Chinese has no blanks: its little words get some, the longest first.
const CHINESE: [Put; 24] = [
    ("从现在起", "from now on"),
    ("从现在开始", "from now on"),
    ("以后", "from now on"),
    ("我们", "we"),
    ("现在", "now"),
    ("目前", "now"),
    ("而不是", "instead of"),
    ("代替", "instead of"),
    ("不再", "no longer"),
    ("不要", "never"),
    ("切换到", "switched to"),
    ("迁移到", "migrated to"),
    ("换成了", "switched to"),
    ("换成", "switched to"),
    ("改为了", "changed to"),
    ("改为", "changed to"),
    ("改成了", "changed to"),
    ("改成", "changed to"),
    ("改用", "switched to"),
    ("使用", "use"),
    ("从", "from"),
    ("用", "use"),
    ("是", "is"),
    ("为", "is"),
];

/// Words that are English, too.
const SHARED: [&str; 16] =
    ["no", "on", "die", "den", "plus", "son", "la", "l", "n", "j", "un", "mi", "es", "en", "y", "par"];

/// What "to" and "from" are where something changes.
const WAYS: [(&str, &str, &str); 6] = [
    ("с", "from", "with"),
    ("на", "to", "on"),
    ("auf", "to", "on"),
    ("à", "to", "at"),
    ("de", "from", "of"),
    ("a", "to", "to"),
];
const ENDS: [&str; 7] = ["switched", "changed", "migrated", "moved", "replaced", "renamed", "umgestiegen"];

/// Puts blanks around the little words of Chinese, in English.
pub(crate) fn spaced(text: &str) -> String {
    if !text.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)) {
        return text.to_owned();
    }
    let mut spaced = String::with_capacity(text.len() * 2);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let put = CHINESE.iter().filter(|(word, _)| rest.starts_with(word)).max_by_key(|(word, _)| word.len());
        let is_one = |word: &str| word.chars().count() == 1;
        // A word of one character may be part of another word: it counts before what is written in letters.
        let counts = |word: &str| {
            let after = rest.get(word.len()..).and_then(|after| after.trim_start().chars().next());
            !is_one(word) || word == "是" || after.is_some_and(|c| c.is_ascii_alphanumeric())
        };
        match put.filter(|(word, _)| counts(word)) {
            Some((word, english)) => {
                spaced.push_str(&format!(" {english} "));
                rest = rest.get(word.len()..).unwrap_or_default();
            }
            None => {
                spaced.push(if first == '，' || first == '、' { ',' } else { first });
                rest = rest.get(first.len_utf8()..).unwrap_or_default();
            }
        }
    }
    spaced
}

/// The words of a statement, in small letters, with its little words in English; and from which word each is.
pub(crate) fn in_english(words: &[String]) -> Vec<(String, Option<usize>)> {
    let own = |word: &&String| !SHARED.contains(&word.as_str());
    let is_put = |table: &[Put], word: &str| table.iter().any(|(own, _)| *own == word);
    let count = |table: &[Put]| words.iter().filter(own).filter(|word| is_put(table, word)).count();
    let tables: [&[Put]; 4] = [&GERMAN, &FRENCH, &SPANISH, &RUSSIAN];
    // "A" is little in many languages.
    let english = words.iter().filter(|word| is_little(word) && word.as_str() != "a").count();
    let plain = || words.iter().cloned().enumerate().map(|(at, word)| (word, Some(at))).collect();
    let Some(table) = tables.into_iter().max_by_key(|table| count(table)).filter(|table| count(table) > english) else {
        return plain();
    };
    let mut put = put_by(words, table);
    let changes = put.iter().any(|(word, _)| ENDS.contains(&word.as_str()));
    for (word, _) in &mut put {
        if let Some((_, changing, else_)) = WAYS.iter().find(|(own, _, _)| own == word) {
            *word = if changes { (*changing).to_owned() } else { (*else_).to_owned() };
        }
    }
    verb_forward(&mut put);
    put
}

fn put_by(words: &[String], table: &[Put]) -> Vec<(String, Option<usize>)> {
    let mut put = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let fits = |own: &str| own.split(' ').zip(words.iter().skip(at)).filter(|(own, word)| own == word).count();
        let long = |own: &str| own.split(' ').count();
        let found = table.iter().filter(|(own, _)| fits(own) == long(own)).max_by_key(|(own, _)| long(own));
        match found {
            Some((own, english)) => {
                put.extend(english.split_whitespace().map(|word| (word.to_owned(), None)));
                at += long(own);
            }
            None => {
                put.push((words.get(at).cloned().unwrap_or_default(), Some(at)));
                at += 1;
            }
        }
    }
    put
}

/// German ends with its verb: "we are from npm to pnpm switched".
fn verb_forward(words: &mut Vec<(String, Option<usize>)>) {
    let is = |list: &[&str], word: &(String, Option<usize>)| list.contains(&word.0.as_str());
    let helper = words.iter().position(|word| is(&["is", "are", "was", "were", "have", "has"], word));
    let verb = words.iter().rposition(|word| is(&ENDS, word));
    if let (Some(helper), Some(verb)) = (helper, verb)
        && verb > helper + 1
    {
        let word = words.remove(verb);
        words.insert(helper + 1, word);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_words_of_other_languages_are_read_as_english_ones() {
        for (text, english) in [
            ("der Port ist jetzt 5434", "the port is now 5434"),
            ("wir sind von npm auf pnpm umgestiegen", "we are switched from npm to pnpm"),
            ("der dienst läuft auf port 9000", "the dienst runs on port 9000"),
            ("nous sommes passés de npm à pnpm", "we are switched from npm to pnpm"),
            ("usamos pnpm en lugar de npm", "use pnpm instead of npm"),
            ("we use npm for packages", "we use npm for packages"),
            ("die hard on a deadline in the build", "die hard on a deadline in the build"),
        ] {
            let words: Vec<String> = text.to_lowercase().split(' ').map(str::to_owned).collect();
            let put: Vec<String> = in_english(&words).into_iter().map(|(word, _)| word).collect();
            assert_eq!(put.join(" "), english, "{text}");
        }
        let words = |text: &str| spaced(text).split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words("端口改为 5434"), "端口 changed to 5434");
        assert_eq!(words("我们从 npm 换成了 pnpm"), "we from npm switched to pnpm");
        assert_eq!(words("用户表在 public"), "用户表在 public");
    }
}
