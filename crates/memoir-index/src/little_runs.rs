//! Little words in scripts without spaces: what a question is about stands between them.

use crate::fold::is_unspaced;
use std::borrow::Cow;

/// Words that carry no topic, the longer first.
const LITTLE: [&str; 62] = [
    "为什么",
    "怎么样",
    "有没有",
    "什么时候",
    "什么",
    "怎么",
    "怎样",
    "如何",
    "为何",
    "哪个",
    "哪些",
    "哪里",
    "哪儿",
    "我们",
    "你们",
    "他们",
    "咱们",
    "这个",
    "那个",
    "这些",
    "那些",
    "这里",
    "那里",
    "一个",
    "一下",
    "可以",
    "应该",
    "需要",
    "是否",
    "请问",
    "目前",
    "关于",
    "以及",
    "或者",
    "还是",
    "為什麼",
    "什麼",
    "怎麼",
    "我們",
    "這個",
    "那個",
    "何",
    "誰",
    "私",
    "僕",
    "的",
    "了",
    "吗",
    "嗎",
    "呢",
    "吧",
    "啊",
    "是",
    "我",
    "你",
    "把",
    "被",
    "这",
    "那",
    "哪",
    "谁",
    "请",
];
/// What stands at an end of what is left, and means nothing there.
const AT_AN_END: [char; 24] = [
    '用', '有', '要', '能', '会', '到', '从', '对', '在', '和', '与', '或', '让', '给', '都', '也', '就', '还', '很',
    '不', '做', '着', '过', '們',
];

/// The text with blanks where runs without spaces have little words, if they have anything else. In Japanese what is
/// written in Hiragana holds together what is not.
pub(crate) fn without_little_runs(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || !text.chars().any(is_unspaced) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let little = LITTLE.iter().find(|word| rest.starts_with(**word)).map(|word| word.len());
        let little = little.or_else(|| is_hiragana(c).then(|| c.len_utf8()));
        let len = little.unwrap_or_else(|| c.len_utf8());
        let (taken, after) = rest.split_at(len);
        out.push_str(if little.is_some() { " " } else { taken });
        rest = after;
    }
    Cow::Owned(out.split(' ').map(bare).collect::<Vec<_>>().join(" "))
}

/// Whether a run without spaces says nothing but little words.
pub fn is_little_run(run: &str) -> bool {
    let is_word = |word: &str| word.chars().filter(|c| is_unspaced(*c)).count() >= 2;
    run.chars().any(is_unspaced) && !without_little_runs(run).split(' ').any(is_word)
}

/// A run without what means nothing at its ends, if enough is left.
fn bare(run: &str) -> &str {
    if !run.chars().all(is_unspaced) {
        return run;
    }
    let bare = run.trim_matches(AT_AN_END);
    if bare.chars().count() >= 2 { bare } else { run }
}

const fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_question_is_about_is_left() {
        let left = |text: &str| without_little_runs(text).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(left("用什么部署"), ["用", "部署"]);
        assert_eq!(left("我们用哪个数据库？"), ["用", "数据库？"]);
        assert_eq!(left("どうやってデプロイする?"), ["デプロイ", "?"]);
        assert_eq!(left("how do we deploy?").join(" "), "how do we deploy?");
    }

    proptest::proptest! {
        #[test]
        fn any_text_keeps_what_is_written_with_spaces(text in "[a-z用部署什么は ]{0,20}") {
            let letters = |text: &str| text.chars().filter(char::is_ascii_alphabetic).collect::<String>();
            proptest::prop_assert_eq!(letters(&without_little_runs(&text)), letters(&text));
        }
    }
}
