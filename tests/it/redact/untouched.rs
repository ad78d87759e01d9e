//! Code and data that only look like secrets: they stay byte for byte.

use rye::redact::Redactor;

/// Lines of code, lock files, digests, public keys.
const LINES: &[&str] = &[
    // Digests and ids.
    "commit 9f2e4c1ab00d77e1a61cb159d54a9d47161dcb42",
    "d06206c7e5d3b6a3f1a8f1e8c0a8b1f7d5e6c4b3a2918070605040302010f0e0",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  empty.txt",
    "550e8400-e29b-41d4-a716-446655440000",
    "id: urn:uuid:6ba7b810-9dad-11d1-80b4-00c04fd430c8",
    "index 83db48f..bf2a1c3 100644",
    "sha256:a3ed95caeb02ffe68cdd9fd84406680ae93d663cb16422d00e8a7c22955b46d4",
    "image: nginx@sha256:2d17cc4981bf1e22a87ef3b3dd20fbb72c3868738e3f307662eb40e2630d4320",
    "etag: W/\"67ab43-5f3c9a2b1d4e8\"",
    "x-request-id: req_011CSHoEeqs5C35K2UUqR7Fy",
    "\"token\": \"c2d9f8b7a6e5d4c3b2a190807060504030201000f1e2d3c4b5a6978879605142\"",
    "cache-key-d41d8cd98f00b204e9800998ecf8427e",
    "actions/cache key: linux-cargo-4f1c9a07be52d8364f1c9a07be52d836",
    // Lock files.
    "checksum = \"f020237b6c8eed93db2e2cb53c00c60a8e1bc73da7d073199a1180401450218d\"",
    "\"integrity\": \"sha512-dLitG79d+GV1Nb/VYcCDFivJeK1hiukt9QjRNVOsUtTy1rR1YJsmpGGTZ3qJos+uw7WmWF4wUwBd9jxjocFC2w==\",",
    "\"resolved\": \"https://registry.npmjs.org/@types/node/-/node-20.1.0.tgz#fd7b1a9a2b3c4d5e6f708192a3b4c5d6e7f80910\",",
    "github.com/pkg/errors v0.9.1 h1:FEBLx1zS214owpjy7qsBeixbURkuhQAwrK5UwLGTwt4=",
    "    --hash=sha256:4f1c9a07be52d8364f1c9a07be52d8364f1c9a07be52d8364f1c9a07be52d836",
    "rev = \"9f2e4c1ab00d77e1a61cb159d54a9d47161dcb42\"",
    "narHash = \"sha256-WTQuTwcNr6CDkTj7XNPyqVjVRqZ4lTQzG3YVsEeFTyI=\";",
    // Public keys, fingerprints, signatures.
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl ada@example.org",
    "SHA256:uNiVztksCsDhcc0u9e8BrrruhwTJyTjAOwAAm+6nKVE",
    "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----",
    "-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQAAADMAAAALc3NoLWVkMjU1MTkAAAAgGb9ECWmEzf6FQbrBZ9w7\n-----END SSH SIGNATURE-----",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
    "-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmDMEXEcE6RYJKwYBBAHaRw8BAQdArjWwk3FAqyiFbFBKT4TzXcVBqPTB3gmzlC/U\n-----END PGP PUBLIC KEY BLOCK-----",
    "# rye:signed:2026-11-22T00:17:04Z:ab941db2d138440d2af3e6dfeaacb429c1d0e8cd0e1fbfdd325eae8bf557629c:_4tmpcZx9vDaNAj0vJmBpms2XvAZmHnYyxkYWTaENHg_ZT2OhVVZK_I73EoWhCRF5_YNZ-gPcYRFjwsS3386Dw==:e72a3ad3565fe776",
    "untrusted comment: minisign public key E7620F1842B4E81F",
    "ecdsa-sha2-nistp256 AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBEmKSENjQEezOmxkZMy7opKgwFB9nkt5YRrYMjNuG5N87uRgg6CLrbo5wAdT",
    // Speaking of keys.
    "if text.startswith(\"-----BEGIN PRIVATE KEY-----\"): raise ValueError(text)",
    "assert!(!seen.contains(\"PRIVATE KEY\"));",
    "const HEADER: &str = \"-----BEGIN OPENSSH PRIVATE KEY-----\";\nconst FOOTER: &str = \"-----END OPENSSH PRIVATE KEY-----\";",
    "fn private_key(&self) -> Result<PrivateKey, KeyError> { self.open(\"~/.ssh/id_ed25519\") }",
    "git config user.signingkey ~/.ssh/id_ed25519.pub",
    "let secret_key = SecretKey::from_bytes(&bytes)?;",
    // Names of secrets, and values that refer to others.
    "api_key = os.environ[\"ANTHROPIC_API_KEY\"]",
    "const apiKey = process.env.OPENAI_API_KEY ?? \"\";",
    "password: ${{ secrets.DEPLOY_PASSWORD_2 }}",
    "PASSWORD=$(openssl rand -base64 32)",
    "export ANTHROPIC_API_KEY=sk-ant-...",
    "ANTHROPIC_API_KEY=\"your-api-key-here-1234567890\"",
    "token = ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "secretName: prod-database-credentials-v2",
    "secretKeyRef: { name: mysql-pass-2, key: password }",
    "let token = lexer.next_token().ok_or(ParseError::UnexpectedEnd)?;",
    "fn parse_token(input: &str, max_tokens: usize) -> Option<Token<'_>> {",
    "max_tokens: 4096, tokens: 200_000, token_count: 18_273_645",
    "\"nextPageToken\": \"CAUQAA7Xb2Yc9Zd4We6Rf1Tg8Uh3Vi5PjOkNlMm0SnDoFpG\"",
    "<input type=\"password\" name=\"password\" placeholder=\"Password\" autocomplete=\"current-password\">",
    "def check_password(self, raw_password: str, hashed: bytes) -> bool:",
    "self.password = hash_password(password, rounds=12)",
    "if password == other.password { return Err(Error::SamePassword2); }",
    "PublicKeyToken=b77a5c561934e089",
    "authorization: Option<HeaderValue>,",
    "password: String,",
    "pub password: Option<String>, pub token: Option<String>,",
    "\"password\": \"<your password>\",",
    "\"password\": \"mot-de-passe\", \"username\": \"nom-d-utilisateur\"",
    "password: 'form-input-password-field', // class",
    "<Input name=\"password\" className=\"login-form-field-large\" />",
    "password: db-main-credentials-v2",
    "git push -u origin main",
    "git push -u origin HEAD:refs/heads/topic-of-mine",
    "chown user:group file && chmod 600 file",
    "docker run -u 1000:1000 --rm image:latest",
    "docker run --user node:node-of-a-group image",
    "curl -u \"$USER:$PASSWORD\" https://example.org",
    "curl -u user:pass https://example.org && curl -u <user>:<password> https://example.org",
    "docker exec -u postgres:postgres db curl https://example.org",
    "mysql -u root -h 127.0.0.1",
    "access_key: AccessKeyId::try_from(value)?,",
    // URLs.
    "https://user@example.org/path?x=1#top",
    "git@github.com:rust-lang/rust.git",
    "postgres://postgres:postgres@localhost:5432/test",
    "postgres://app:${DB_PASSWORD}@db/app",
    "https://example.org:8443/@scope/package:latest",
    "mongodb://<username>:<password>@cluster0.example.net",
    "see https://example.org/a:b and mail ada@example.org",
    "https://hooks.slack.com/services/your/webhook/here",
    "npm install @scope/name@^1.2.3 // https://npmjs.com/package/x",
    // Words that begin as tokens do.
    "sk-learn-compatible-estimator-wrapper",
    "sk-test-geheim-0123456789 sk-your-own-key-12345678",
    "class=\"sk-fading-circle sk-circle-fade-dot\"",
    "sk-ssh-ed25519-cert-v01@openssh.com sk-ecdsa-sha2-nistp256-cert-v01@openssh.com",
    "import re_export_default_bindings_from_other_modules",
    "hf_hub_download(repo_id=\"google/gemma\", filename=\"config.json\")",
    "key-value-store-with-a-very-long-name-indeed",
    "task-management-and-scheduling-for-people",
    "let pat = r\"^[A-Za-z0-9_-]{20,}$\"; // AKIA[0-9A-Z]{16}, ghp_[A-Za-z0-9]{36}",
    "API-DOCUMENTATION-FOR-PEOPLE-WHO-READ",
    "SKU: SK1234567890",
    // Data.
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImEudHMiXSwibmFtZXMiOltdLCJtYXBwaW5ncyI6IkFBQUEifQ==",
    "!function(e,t){\"object\"==typeof exports?module.exports=t():e.Token=t()}(this,function(){var e={token:1,secret:2,password:3};return e});",
    "\"mappings\": \"AAAA,SAASA,KAAKC,GAAG,EAAEC,EAAE;AACnB,OAAOD,EAAIC,CAAC,CACd\"",
    "0x7f3a2b1c 0xdeadbeefcafebabe 4f 1c 9a 07",
    "{\"input_tokens\":100,\"output_tokens\":20,\"cache_read_input_tokens\":30,\"stop_reason\":\"end_turn\"}",
    "AUTHORS: Ada <ada@example.org>, Basic English, bearer of news",
    "The login form password field is required, and \"auth\": \"none\" turns it off.",
    "Basic usage of the bearer protocol is shown in figure 12a.",
    "[redacted: github token] and [redacted: private key] stay",
];

#[test]
fn code_and_data_stay_byte_for_byte() {
    let redactor = Redactor::default();
    assert!(LINES.len() >= 60, "{} lines", LINES.len());
    for line in LINES {
        for text in
            [(*line).to_owned(), format!("  {line}\n"), format!("> {line} <"), serde_json::json!(line).to_string()]
        {
            assert_eq!(redactor.text(&text), text);
        }
    }
    let whole = LINES.join("\n");
    assert_eq!(redactor.text(&whole), whole);
}

/// The sources of this program are a large piece of such code.
#[test]
fn the_sources_of_this_program_stay_as_they_are() {
    let redactor = Redactor::default();
    let mut folders: Vec<std::path::PathBuf> =
        ["src", "crates", "plugins", "docs", ".ai", "Cargo.lock", "README.md"].map(Into::into).into();
    let mut changed = Vec::new();
    while let Some(path) = folders.pop() {
        if path.is_dir() {
            folders.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if let Ok(text) = std::fs::read_to_string(&path) {
            let shown = redactor.text(&text);
            // A test of ours has a URL with a password.
            let is_known = |line: &str| line.contains("ada:geheim@");
            let lines = text.lines().zip(shown.lines()).filter(|(one, other)| one != other && !is_known(one));
            changed.extend(lines.map(|(line, _)| format!("{}: {line}", path.display())));
        }
    }
    assert!(changed.is_empty(), "{changed:#?}");
}
