//! Addresses that are secrets (webhooks) or name an account (buckets, tenants, ARNs).
//!
//! The public scanners count account names as findings. Only the part that names the account goes.

use crate::scan::{Rank, Scan};
use crate::{boundary, entropy};

/// `arn:aws:iam::123456789012:role/x`: the account goes, or the bucket; what the resource is called stays, because an
/// agent needs it again.
pub(crate) fn arn_at(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    if !boundary::starts_at(text, at) {
        return;
    }
    let end = token_end(text, at, b":/_-.*{}$@+=,");
    let arn = &text[at..end];
    let mut fields = arn.splitn(6, |&b| b == b':');
    let (Some(_), Some(partition), Some(service), Some(region), Some(account), Some(resource)) =
        (fields.next(), fields.next(), fields.next(), fields.next(), fields.next(), fields.next())
    else {
        return;
    };
    let word = |f: &[u8]| !f.is_empty() && f.iter().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-');
    let region_ok = region.is_empty() || word(region) && region.iter().filter(|&&b| b == b'-').count() >= 2;
    let account_ok = account.is_empty() || account.len() == 12 && account.iter().all(u8::is_ascii_digit);
    if !partition.starts_with(b"aws")
        || !word(service)
        || !region_ok
        || !account_ok
        || resource.is_empty()
        || arn.contains(&b'$') && account.contains(&b'$')
    {
        return;
    }
    let resource_start = end - resource.len();
    if !account.is_empty() {
        scan.hit(resource_start - 1 - account.len(), resource_start - 1, "aws-account", Rank::Shape);
    } else if service == b"s3" {
        let bucket =
            resource.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')).count();
        scan.hit(resource_start, resource_start + bucket, "aws-bucket", Rank::Shape);
    }
}

fn token_end(text: &[u8], at: usize, marks: &[u8]) -> usize {
    let mut end =
        at + text[at..].iter().take(512).take_while(|b| b.is_ascii_alphanumeric() || marks.contains(b)).count();
    while end > at && matches!(text[end - 1], b'.' | b',' | b'=' | b':') {
        end -= 1;
    }
    end
}

/// Host names whose first part is an account's.
const TENANTS: &[(&str, &str)] = &[
    (".s3.amazonaws.com", "aws-bucket"),
    (".my.salesforce.com", "salesforce-org"),
    (".cloud.databricks.com", "databricks-host"),
    (".azuredatabricks.net", "databricks-host"),
    (".snowflakecomputing.com", "snowflake-host"),
    (".okta.com", "okta-org"),
    (".storage.googleapis.com", "google-bucket"),
    (".myshopify.com", "shopify-store"),
    (".openai.azure.com", "azure-host"),
    (".blob.core.windows.net", "azure-host"),
    (".auth0.com", "auth0-tenant"),
    (".apps.googleusercontent.com", "google-client-id"),
];

/// Addresses that let anyone post or read: prefix, fewest bytes after it, rule.
const WEBHOOKS: &[(&str, usize, &str)] = &[
    ("hooks.slack.com/services/", 30, "slack-webhook"),
    ("hooks.slack.com/workflows/", 30, "slack-webhook"),
    ("hooks.slack.com/triggers/", 30, "slack-webhook"),
    ("discord.com/api/webhooks/", 60, "discord-webhook"),
    ("discordapp.com/api/webhooks/", 60, "discord-webhook"),
    ("outlook.office.com/webhook/", 60, "teams-webhook"),
    ("outlook.office365.com/webhook/", 60, "teams-webhook"),
    (".webhook.office.com/webhookb2/", 60, "teams-webhook"),
    ("hooks.zapier.com/hooks/catch/", 10, "zapier-webhook"),
    ("maker.ifttt.com/trigger/", 20, "ifttt-webhook"),
    ("hook.integromat.com/", 20, "make-webhook"),
    ("open.feishu.cn/open-apis/bot/v2/hook/", 30, "feishu-webhook"),
    ("oapi.dingtalk.com/robot/send?access_token=", 40, "dingtalk-webhook"),
    ("qyapi.weixin.qq.com/cgi-bin/webhook/send?key=", 30, "wecom-webhook"),
];

/// Looks at the host name around `at`.
pub(crate) fn at(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    let window = &text[at..];
    for &(suffix, rule) in TENANTS {
        if !window.starts_with(suffix.as_bytes()) {
            continue;
        }
        let dot = at;
        let mut start = dot;
        while start > 0
            && dot - start < 128
            && (text[start - 1].is_ascii_alphanumeric() || matches!(text[start - 1], b'-' | b'_' | b'.'))
        {
            start -= 1;
        }
        while start < dot && text[start] == b'.' {
            start += 1;
        }
        let name = &text[start..dot];
        let short = matches!(name, b"" | b"www" | b"s3" | b"docs" | b"cdn" | b"console");
        let path = rule == "aws-bucket"
            && text.get(dot + suffix.len()) == Some(&b'/')
            && text.get(dot + suffix.len() + 1).is_some_and(u8::is_ascii_alphanumeric);
        let next = text.get(dot + suffix.len());
        let ends = !next.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'.' || *b == b'-');
        if !short && !path && ends {
            scan.hit(start, dot, rule, Rank::Shape);
        }
        return;
    }
    if let Some(len) = regional(window) {
        let mut start = at;
        while start > 0
            && at - start < 128
            && (text[start - 1].is_ascii_alphanumeric() || matches!(text[start - 1], b'-' | b'_' | b'.'))
        {
            start -= 1;
        }
        if start < at && !text.get(at + len).is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'.') {
            scan.hit(start, at, "aws-bucket", Rank::Shape);
        }
        return;
    }
    let slash = window.iter().take(48).position(|&b| b == b'/').unwrap_or(0);
    let path_style = window.starts_with(b"s3") && window[..slash].ends_with(b".amazonaws.com");
    if path_style && (at == 0 || !matches!(text[at - 1], b'.' | b'-')) {
        let start = at + slash + 1;
        let end = start
            + text[start..]
                .iter()
                .take(64)
                .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'-' | b'.' | b'_'))
                .count();
        if end - start >= 3 {
            scan.hit(start, end, "aws-bucket", Rank::Shape);
        }
    }
    webhook(scan, at);
}

/// `.s3-us-east-2.amazonaws.com`, `.s3.eu-west-1.amazonaws.com`: its length.
fn regional(window: &[u8]) -> Option<usize> {
    let region = window.strip_prefix(b".s3-").or(window.strip_prefix(b".s3."))?;
    let len =
        region.iter().take(24).take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || **b == b'-').count();
    let known =
        region[..len].iter().filter(|&&b| b == b'-').count() >= 2 && region[len..].starts_with(b".amazonaws.com");
    known.then_some(4 + len + 14)
}

fn webhook(scan: &mut Scan<'_>, at: usize) {
    let text = scan.bytes;
    for &(prefix, least, rule) in WEBHOOKS {
        if !text[at..].starts_with(prefix.as_bytes()) {
            continue;
        }
        let start = at + prefix.len();
        let end = token_end(text, start, b"/_-@?=&%.+");
        let path = &text[start..end];
        if path.len() >= least && !entropy::is_filler(path) && entropy::Mix::of(path).digit >= 4 {
            scan.hit(start, end, rule, Rank::Shape);
        }
        return;
    }
}
