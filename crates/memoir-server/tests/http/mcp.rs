//! MCP over HTTP and what is no message of it.

use crate::client::send;
use crate::running::start;

#[test]
fn what_is_no_json_is_a_parse_error_and_json_that_is_no_message_an_invalid_request() {
    let server = start();
    for (body, code) in [
        ("{", -32_700),
        ("", -32_700),
        ("ping", -32_700),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}}", -32_700),
        ("{}", -32_600),
        ("[]", -32_600),
        ("7", -32_600),
    ] {
        let answer = send(server.address, "POST", "/mcp", &[], Some(body.as_bytes()));
        let json = answer.json();
        assert_eq!((answer.status, &json["error"]["code"]), (400, &code.into()), "{body}: {json}");
        assert!(json["jsonrpc"] == "2.0" && json["id"].is_null() && json["error"]["message"].is_string(), "{json}");
    }
    assert_eq!(send(server.address, "POST", "/mcp", &[], Some(b"\xff\xfe")).json()["error"]["code"], -32_700);
    let ping = br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(send(server.address, "POST", "/mcp", &[], Some(ping)).status, 200);
}
