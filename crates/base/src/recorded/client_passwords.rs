//! Passwords in the arguments of known programs. Many have a short option whose letter means something else in other
//! programs, so an option is masked only behind the program that reads a password from it.

use std::borrow::Cow;
use std::sync::OnceLock;

use regex::{Captures, Regex};

use super::redact::MASK;

/// A pattern. What it matches stays, and the word between `option` and `after` is masked.
struct PasswordOption {
    /// Every match contains one of these texts.
    needles: &'static [&'static str],
    /// Whether the needles are the programs that have the option. Else it counts everywhere.
    of_program: bool,
    option: &'static str,
    after: &'static str,
}

const fn of(programs: &'static [&'static str], option: &'static str) -> PasswordOption {
    PasswordOption { needles: programs, of_program: true, option, after: "" }
}

const fn any(needles: &'static [&'static str], option: &'static str) -> PasswordOption {
    PasswordOption { needles, of_program: false, option, after: "" }
}

/// A word that the program behind it reads as a password.
const fn before(needles: &'static [&'static str], option: &'static str, after: &'static str) -> PasswordOption {
    PasswordOption { needles, of_program: false, option, after }
}

const OPTIONS: [PasswordOption; 41] = [
    // The name of a data source: `h=host,u=me,p=pw`.
    any(&["pt-"], r"(?:^|[^\w.-])pt-[a-z][a-z-]*\s(?:[^|;&\n]*?[\s,])?p="),
    before(
        &["/user:", "/USER:"],
        r"\bnet(?:\.exe)?\s+use\s+(?:\S+\s+)?\\{2,4}\S+\s+",
        r"\s+(?:/\S+\s+)*?/(?:user|USER):",
    ),
    // A dialogue: what follows the prompt of a program.
    any(&["assword"], r#"assword[^;\n]{0,20}[;\n]?\s*(?:\\n\s*)?send\s+(?:--\s+)?\\?["']"#),
    of(
        &[
            "mysql",
            "mariadb",
            "mysqldump",
            "mariadb-dump",
            "mysqladmin",
            "mariadb-admin",
            "mysqlimport",
            "mysqlshow",
            "mysqlcheck",
            "mysqlsh",
            "mysqlslap",
            "mysqlpump",
            "mariadb-backup",
            "mariabackup",
            "xtrabackup",
            "mycli",
        ],
        r"\s-[vstqnNBCfirbA]*p",
    ),
    of(&["sshpass"], r"\s-p\s*"),
    of(&["redis-cli", "valkey-cli"], r"\s-a\s*"),
    of(&["curl"], r"\s(?:-[a-zA-Z]*[uU]\s*|--(?:proxy-)?user[\s=]+)[^\s:]+:"),
    of(&["curl"], r#"\s(?:-b\s*|--cookie[\s=]+)\\?["']?(?:[^\s=;"'\\]+=\[masked\];\s*)*[^\s=;"'\\]+="#),
    of(&["snmpget", "snmpset", "snmpwalk", "snmpbulkwalk", "snmptable"], r"\s-[AX]\s*"),
    of(&["http", "https", "xh"], r"\s(?:-a\s*|--auth[\s=]+)[^\s:]+:"),
    of(
        &["docker", "podman", "nerdctl", "buildah", "skopeo", "helm", "oras", "crane", "az", "oc"],
        r"\slogin\s(?:[^|;&\n]*?\s)?-p\s*",
    ),
    of(
        &["ldapsearch", "ldapmodify", "ldapadd", "ldapdelete", "ldapwhoami", "ldapcompare", "ldapmodrdn", "ldappasswd"],
        r"\s-w\s*",
    ),
    of(&["zip", "unzip", "zipcloak"], r"\s-P\s*"),
    of(&["7z", "7za", "7zr", "7zz", "rar", "unrar"], r"\s-(?:hp|p)"),
    of(
        &[
            "mongo",
            "mongosh",
            "mongodump",
            "mongorestore",
            "mongoexport",
            "mongoimport",
            "cqlsh",
            "rabbitmqadmin",
            "cypher-shell",
            "beeline",
            "couchbase-cli",
            "cbq",
            "cbbackupmgr",
        ],
        r"\s-p\s*",
    ),
    of(&["sqlcmd", "bcp", "tsql", "ipmitool", "mosquitto_pub", "mosquitto_sub"], r"\s-P\s*"),
    of(&["psql", "pg_dump", "pg_restore"], r"\bpassword="),
    of(&["sqlplus"], r"\s\w+/"),
    of(&["smbclient", "smbget", "rpcclient", "winexe"], r"\s-U\s*[^\s%]+%"),
    of(&["lftp", "ncftp"], r"\s-u\s*[^\s,]+,"),
    of(&["openssl"], r#"\s(?:-pass(?:in|out)?\s+\\?["']?pass:|-k\s+)"#),
    of(&["ssh-keygen"], r"\s-[NP]\s*"),
    of(&["vault", "cargo"], r"\slogin\s+(?:-\S+\s+)*"),
    of(&["twine"], r"\supload\s(?:[^|;&\n]*?\s)?-p\s*"),
    of(&["aws"], r"\sconfigure\s+set\s+\S*(?:secret|token)\S*\s+"),
    any(&["git config"], r"\bgit\s+config\s(?:--\S+\s+)*\S*(?:[tT]oken|[pP]assword|[sS]ecret)\s+"),
    of(&["npm", "pnpm", "yarn"], r"\S*:_(?:authToken|auth|password)(?:=|\s+)"),
    of(&["nmcli"], r"\spassword\s+"),
    of(&["wpa_passphrase"], r"\s[^\s-]\S*\s+"),
    of(&["influx"], r"\s-password\s+"),
    any(&["secret set"], r"\bgh\s+secret\s+set\s(?:[^|;&\n]*?\s)?(?:-b|--body)(?:\s*|=)"),
    of(&["kubectl", "oc"], r"\s--from-literal[=\s][^\s=]+="),
    of(&["rclone"], r"\s(?:pass|password|secret_access_key|token)[=\s]"),
    before(
        &["@github.com", "@gitlab.com", "@bitbucket.org"],
        r"\bhttps?://",
        r"@(?:github\.com|gitlab\.com|bitbucket\.org)\b",
    ),
    before(
        &["--password-stdin", "sudo", "passwd", "--passphrase-fd", "--with-token"],
        r#"\b(?:echo\s+(?:-[neE]+\s+)?|printf\s+(?:(?:'%s[^'\n]*'|"%s[^"\n]*"|%s\S*)\s+)?)"#,
        r"\s*\|[^|;&\n]*(?:--password-stdin|\bsudo\s(?:[^|;&\n]*\s)?-[a-zA-Z]*S\b|\bchpasswd\b|\bpasswd\s[^|;&\n]*--stdin|--passphrase-fd|--with-token)",
    ),
    any(
        &["<<<"],
        r"(?:\b(?:cryptsetup|secret-tool|chpasswd|gh\s+auth)\b|\bpasswd\s[^|;&\n]*--stdin|\bsudo\s(?:[^|;&\n]*\s)?-[a-zA-Z]*S\b|--password-stdin|--passphrase-fd|--with-token)[^|;&\n]*<<<\s*",
    ),
    of(&["keytool", "jarsigner"], r"\s-(?:store|key|deststore|srcstore)pass\s+"),
    of(&["xfreerdp", "wlfreerdp", "rdesktop"], r"\s(?:/p:|-p\s*)"),
    of(&["htpasswd"], r"\s-[a-zA-Z]*b[a-zA-Z]*\s+\S+\s+\S+\s+"),
    any(&["pass"], r"--[a-z-]*(?:pass|passwd|password|passphrase)(?:=|\s+)"),
    any(
        &["PASS", "_PWD", "REDISCLI_AUTH"],
        r"\b(?:SSHPASS|REDISCLI_AUTH|[A-Z0-9_]*(?:PASSWORD|PASSWD|PASSPHRASE|_PWD|_PASS))=",
    ),
];

/// The compiled patterns. Each is compiled for the first text that it may match: a guard masks one line.
static PATTERNS: [OnceLock<Option<Regex>>; OPTIONS.len()] = [const { OnceLock::new() }; OPTIONS.len()];

/// The number of passwords of one kind that one command can have.
const MAX_PER_COMMAND: usize = 8;

/// The word that is masked: quoted, also inside JSON, or plain. Variables and masks do not match.
const WORD: &str = r#"(?:\\"[^"\\\n]+\\"|"(?:[^"\\\n]|\\.)+"|'[^'\n]+'|[^\s"'`$;&|<>()\[\\-][^\s"'`;&|<>()\\]*)"#;

fn compile(PasswordOption { needles, of_program, option, after }: &PasswordOption) -> Option<Regex> {
    let pattern = if *of_program {
        // The option belongs to the program of the same simple command, which may go on in the next line.
        let command = r"(?:\s(?:[^|;&\n\\]|\\\n|\\)*?)?";
        format!(r"((?:^|[^\w.-])(?:{}){command}(?:{option})){WORD}({after})", needles.join("|"))
    } else {
        format!("({option}){WORD}({after})")
    };
    Regex::new(&pattern).ok()
}

/// Masks the passwords in command lines of a text.
pub(super) fn mask_client_passwords(text: &str) -> Cow<'_, str> {
    let mut clean = Cow::Borrowed(text);
    for (row, pattern) in OPTIONS.iter().zip(&PATTERNS) {
        if !row.needles.iter().any(|needle| clean.contains(needle)) {
            continue;
        }
        let Some(pattern) = pattern.get_or_init(|| compile(row)) else { continue };
        // Each pass masks one password of each command.
        for _ in 0..MAX_PER_COMMAND {
            let masked = pattern.replace_all(&clean, |found: &Captures<'_>| {
                let kept = |group| found.get(group).map_or("", |kept| kept.as_str());
                format!("{}{MASK}{}", kept(1), kept(2))
            });
            let Cow::Owned(masked) = masked else { break };
            clean = Cow::Owned(masked);
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_of_known_programs_are_masked() {
        for (line, want) in [
            ("mysql -pS3cret shop", "mysql -p*** shop"),
            ("mysql -u root -p'a b' -h db", "mysql -u root -p*** -h db"),
            ("/usr/bin/mysqldump -uroot -ppw shop > x", "/usr/bin/mysqldump -uroot -p*** shop > x"),
            ("cd x && mariadb -pq", "cd x && mariadb -p***"),
            (r#"{"command":"mysql -p\"q r\" -e x"}"#, r#"{"command":"mysql -p*** -e x"}"#),
            ("sshpass -p pw ssh host", "sshpass -p *** ssh host"),
            ("sshpass -ppw ssh host", "sshpass -p*** ssh host"),
            ("redis-cli -a pw ping", "redis-cli -a *** ping"),
            ("redis-cli --pass pw ping", "redis-cli --pass *** ping"),
            ("curl -u me:pw https://h", "curl -u me:*** https://h"),
            ("curl -sSume:pw https://h", "curl -sSume:*** https://h"),
            ("curl --user me:pw --proxy-user p:q u", "curl --user me:*** --proxy-user p:*** u"),
            ("http -a me:pw GET u", "http -a me:*** GET u"),
            ("docker login -u me -p pw r.io", "docker login -u me -p *** r.io"),
            ("podman login -ppw", "podman login -p***"),
            ("ldapsearch -x -D cn=a -w pw", "ldapsearch -x -D cn=a -w ***"),
            ("zip -P pw a.zip a", "zip -P *** a.zip a"),
            ("7z x -ppw a.7z", "7z x -p*** a.7z"),
            ("mongosh -u me -p pw db", "mongosh -u me -p *** db"),
            ("psql 'host=h password=pw user=me'", "psql 'host=h password=*** user=me'"),
            ("smbclient //h/s -U me%pw", "smbclient //h/s -U me%***"),
            ("openssl rsa -passin pass:pw -in k", "openssl rsa -passin pass:*** -in k"),
            ("keytool -storepass pw -keypass q -list", "keytool -storepass *** -keypass *** -list"),
            ("sqlcmd -S h -U sa -P pw", "sqlcmd -S h -U sa -P ***"),
            ("htpasswd -bc file me pw", "htpasswd -bc file me ***"),
            ("tool --password=pw --x", "tool --password=*** --x"),
            ("gpg --batch --passphrase pw -d f", "gpg --batch --passphrase *** -d f"),
            ("PGPASSWORD=pw psql -h h", "PGPASSWORD=*** psql -h h"),
            ("MYSQL_PWD='pw' mysql", "MYSQL_PWD=*** mysql"),
            ("mysql -vpS3cret shop", "mysql -vp*** shop"),
            ("mysqlslap -pS3cret", "mysqlslap -p***"),
            ("mysql -uroot \\\n -pS3cret", "mysql -uroot \\\n -p***"),
            (r#"openssl rsa -passin "pass:pw" -in k"#, r#"openssl rsa -passin "pass:***" -in k"#),
            ("ssh-keygen -t rsa -N pw -f k", "ssh-keygen -t rsa -N *** -f k"),
            ("vault login -no-print s.pw", "vault login -no-print ***"),
            ("twine upload -u me -p pw dist/x", "twine upload -u me -p *** dist/x"),
            ("aws configure set aws_secret_access_key pw", "aws configure set aws_secret_access_key ***"),
            ("git config --global hub.token pw", "git config --global hub.token ***"),
            ("npm config set //r/:_authToken pw", "npm config set //r/:_authToken ***"),
            ("nmcli dev wifi connect x password pw", "nmcli dev wifi connect x password ***"),
            ("gh secret set X --body pw", "gh secret set X --body ***"),
            (
                "kubectl create secret generic x --from-literal=a=pw",
                "kubectl create secret generic x --from-literal=a=***",
            ),
            ("git clone https://tok3n@github.com/a/b", "git clone https://***@github.com/a/b"),
            ("echo pw | docker login -u me --password-stdin", "echo *** | docker login -u me --password-stdin"),
            ("echo 'p w' | sudo -S ls", "echo *** | sudo -S ls"),
            ("printf '%s\\n' pw | sudo -kS ls", "printf '%s\\n' *** | sudo -kS ls"),
            ("echo \"me:pw\" | chpasswd", "echo *** | chpasswd"),
            ("gh auth login --with-token <<< pw", "gh auth login --with-token <<< ***"),
            ("docker login -u me --password-stdin r.io <<< 'p w'", "docker login -u me --password-stdin r.io <<< ***"),
            ("sudo -kS ls <<<pw", "sudo -kS ls <<<***"),
            ("curl -b session=pw https://h", "curl -b session=*** https://h"),
            ("curl --cookie 'a=pw; b=q' https://h", "curl --cookie 'a=***; b=***' https://h"),
            ("cypher-shell -u me -p pw", "cypher-shell -u me -p ***"),
            ("beeline -u url -n me -p pw", "beeline -u url -n me -p ***"),
            ("ipmitool -H h -U me -P pw power status", "ipmitool -H h -U me -P *** power status"),
            ("snmpget -v3 -u me -A pw -X q h sysUpTime", "snmpget -v3 -u me -A *** -X *** h sysUpTime"),
            ("pt-query-digest h=db,u=me,p=S3cret", "pt-query-digest h=db,u=me,p=***"),
            ("pt-table-checksum --no-check p=S3cret", "pt-table-checksum --no-check p=***"),
            (r"net use \\host\share S3cret /user:me", r"net use \\host\share *** /user:me"),
            (r"net use Z: \\\\host\\share S3cret /user:me", r"net use Z: \\\\host\\share *** /user:me"),
            (
                r#"expect -c 'spawn ssh me@h; expect "assword:"; send "pw\r"; interact'"#,
                r#"expect -c 'spawn ssh me@h; expect "assword:"; send "***\r"; interact'"#,
            ),
            (
                "expect <<E\nspawn ssh me@h\nexpect \"*?assword:*\"\nsend -- \"pw\\r\"\nE",
                "expect <<E\nspawn ssh me@h\nexpect \"*?assword:*\"\nsend -- \"***\\r\"\nE",
            ),
        ] {
            assert_eq!(mask_client_passwords(line), want.replace("***", MASK), "{line}");
        }
    }

    #[test]
    fn harmless_neighbours_stay() {
        for line in [
            "mkdir -p dir/sub",
            "mkdir -pv dir",
            "cp -pr a b",
            "ssh -p 22 host",
            "mysql -p shop",
            "mysql -P 3306 -u root",
            "mysql -h db && cp -pr a b",
            "echo mysql; mkdir -pv x",
            "docker run -p 8080:80 image",
            "docker login -u me --password-stdin",
            "docker compose -p shop up",
            "unzip -p a.zip file",
            "zip -r a.zip dir",
            "redis-cli -h host ping",
            "curl -u me https://h",
            "curl -o file https://host:8080/x",
            "curl -b cookies.txt https://h?a=b",
            "cat <<< text",
            "sudo tee file <<< text",
            "ldapsearch -W -D cn=a",
            "psql -p 5432 -w shop",
            "my-mysql-tool -pfoo",
            "pytest -p no:cacheprovider",
            "tool --passthrough x --pass-rate 3",
            "tool --password $PW --password=$PW",
            "tool --password --verbose",
            "OLDPWD=/x PWD=/y env",
            "git log -p file",
            "mysql -vp shop",
            "ssh-keygen -p -f key",
            "ssh-keygen -lf key",
            "vault login -method=oidc",
            "git config user.name me",
            "git clone https://github.com/a/b",
            "npm config set registry https://r",
            "echo done | sudo tee file",
            "echo sudo -S",
            "aws configure set region eu-west-1",
            "pt-query-digest slow.log --limit 5",
            "apt-get install p=1",
            r"net use \\host\share /user:me",
            r"net use Z: \\host\share /persistent:no",
            r#"expect -c 'expect "$ "; send "ls\r"'"#,
            "the password is wrong; send mail",
        ] {
            assert_eq!(mask_client_passwords(line), line);
        }
        assert!(OPTIONS.iter().all(|row| compile(row).is_some()), "every pattern compiles");
    }
}
