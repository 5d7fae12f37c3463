"""Removes passwords and credentials from the command lines of programs."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from toolsets.skills.redaction.replacement import PASSWORD, Rule, Span, near_cues, replace_spans
from toolsets.skills.redaction.values import is_value, looks_secret, value_span

_ARGUMENT = r"(?:\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|[^\s\"'|;&<>-][^\s|;&<>]{0,400})"
_NAMED = r"[^\s:%,\"']{1,80}[:%,]"
"""The user before a password in one argument."""


@dataclass(frozen=True, slots=True)
class _Program:
    """Programs, and the options with a password: as the next argument, in the same argument, or after a user's name."""

    names: str
    apart: str = ""
    attached: str = ""
    user: str = ""
    command: str = ""
    """A word without which the options mean something else."""


_PROGRAMS: Final = (
    _Program("mysql mysqldump mysqladmin mysqlimport mariadb mariadb-dump mycli", attached="-p"),
    _Program("mongo mongosh mongodump mongorestore mongoexport mongoimport", apart="-p", attached="-p"),
    _Program("redis-cli valkey-cli", apart="-a --pass"),
    _Program("sqlcmd bcp osql isql", apart="-P", attached="-P"),
    _Program("cqlsh beeline impala-shell influx dsmc", apart="-p -pw -password"),
    _Program("sshpass", apart="-p", attached="-p"),
    _Program("plink pscp psftp putty kitty", apart="-pw"),
    _Program("ssh-keygen puttygen", apart="-N -P"),
    _Program("docker podman nerdctl buildah skopeo helm az oc crane", apart="-p", command="login"),
    _Program("ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldapcompare", apart="-w", attached="-w"),
    _Program("ldappasswd", apart="-w -s -a"),
    _Program("slappasswd", apart="-s"),
    _Program("openssl", apart="-k -K -pass -passin -passout -password -subpass"),
    _Program("zip zipcloak unzip funzip", apart="-P", attached="-P"),
    _Program("7z 7za 7zr 7zz rar unrar", attached="-p -hp"),
    _Program("pdftk", apart="user_pw owner_pw input_pw"),
    _Program("pdftotext pdfinfo pdfimages pdftoppm", apart="-upw -opw"),
    _Program("steghide certutil useradd usermod", apart="-p"),
    _Program("gpg gpg2", apart="--passphrase"),
    _Program(
        "keytool jarsigner", apart="-storepass -keypass -srcstorepass -deststorepass -srckeypass -destkeypass -new"
    ),
    _Program("curl wget http https lftp smbclient smbmap rpcclient net", user="-u --user -U --proxy-user -a"),
    _Program("rdesktop", apart="-p", attached="-p"),
    _Program("xfreerdp xfreerdp3 wfreerdp sdl-freerdp mstsc", attached="/p: /password: /gp:"),
    _Program("x11vnc vncserver", apart="-passwd"),
    _Program("psexec psexec64 paexec psinfo pskill winexe evil-winrm crackmapexec netexec nxc", apart="-p"),
    _Program("schtasks", apart="/rp /p"),
    _Program("cmdkey wmic runas", attached="/pass: /password: /p:"),
    _Program("ipmitool", apart="-P", attached="-P"),
    _Program("snmpwalk snmpget snmpset snmptable snmpbulkwalk snmptrap", apart="-c -A -X"),
    _Program("mosquitto_pub mosquitto_sub", apart="-P"),
    _Program("ncftp ncftpget ncftpput ftp", apart="-p"),
    _Program("nmcli", apart="password wifi-sec.psk 802-11-wireless-security.psk"),
    _Program("doveadm", apart="-p", command="pw"),
    _Program("turnadmin testsaslauthd", apart="-p"),
    _Program("swaks sendemail", apart="-ap -xp"),
)
"""The options after which these programs take a password. A new program is a line here, and a line of the samples."""
_SEGMENT = re.compile(r"(?:\\\n|[^\n|]){0,400}")
"""The arguments of a program, also on continued lines."""
_WORD = re.compile(r"(?i)(?<![\w-])[\w-]{2,20}(?:\.exe)?(?=[\s\"'])")


def _options(program: _Program) -> re.Pattern[str]:
    forms = (
        (program.apart, rf"(?:\s{{1,3}}\\?\s{{0,8}}|=)({_ARGUMENT})"),
        (program.attached, rf"({_ARGUMENT})"),
        (program.user, rf"(?:\s{{1,3}}|=)?[\"']?{_NAMED}([^\s\"']+)"),
    )
    return re.compile(
        "|".join(
            rf"(?<=\s)(?:{'|'.join(map(re.escape, options.split()))}){value}" for options, value in forms if options
        )
    )


_OPTIONS: Final[Mapping[str, tuple[re.Pattern[str], str]]] = {
    name: (_options(program), program.command) for program in _PROGRAMS for name in program.names.split()
}
_ECHOED = re.compile(
    rf"\b(?:echo|printf|print)\s{{1,2}}(?:-\w{{1,3}}\s{{1,2}}){{0,2}}(?:[\"']?[\w.-]{{1,60}}:)?({_ARGUMENT})\s{{0,2}}\|\s{{0,8}}"
    r"(?:sudo\s[^\n|]{0,60}?-\w{0,6}S|(?:(?:sudo|chroot \S{1,80})\s){0,2}"
    r"(?:su|passwd|chpasswd|smbpasswd|vncpasswd|saslpasswd2|kinit|cryptsetup|encfs)\b"
    r"|[^\n|]{1,160}?--?(?:pass(?:word|phrase|wd)?|pw)[-=](?:stdin|fd\b|file[= ]-|stdin:))"
)
_HERE = re.compile(
    r"\b(?:sudo\s[^\n|]{0,60}?-\w{0,6}S|passwd|chpasswd|smbpasswd|vncpasswd|saslpasswd2|kinit|cryptsetup|\S{1,40}-stdin)\b"
    r"[^\n|]{0,120}?<<<\s?"
    rf"(?:[\"']?[\w.-]{{1,60}}:)?({_ARGUMENT})"
)
_SENT = re.compile(r"\bsend(?:_user)?\s{1,2}(?:--\s)?\"([^\"\n]{4,100}?)\\[rn]")
"""The answer of an Expect script to a prompt."""
_POSITIONAL: Final = (
    ("net user", re.compile(r"\bnet user [^\s]{1,80} ([^\s/*]{4,})")),
    ("/u", re.compile(r"(?i)\\\\\S{1,160}[ \t][^\n]{0,60}?/u(?:ser)?:\S{1,80}[ \t]{1,2}([^\s/*]\S{3,120})")),
    (
        "net use",
        re.compile(r"(?i)\bnet use\b[^\n]{0,60}?\\\\\S{1,160}[ \t]{1,2}([^\s/*]\S{2,120})[ \t][^\n]{0,40}?/u(?:ser)?:"),
    ),
    ("machine", re.compile(r"\bmachine\s+\S{1,80}\s+login\s+\S{1,80}\s+password\s+(\S+)")),
    (
        "identified",
        re.compile(r"(?:\b(?i:user\b[^\n]{0,80}\bidentified by)|\bIDENTIFIED BY)\s{1,2}[\"']([^\"'\n]{1,200})[\"']"),
    ),
    (
        "password",
        re.compile(
            r"(?i)\b(?:with (?:encrypted )?password"
            r"|set password(?: for \S{1,60})?\s?=?)\s{1,2}[\"']([^\"'\n]{1,200})[\"']"
        ),
    ),
    ("ftp", re.compile(rf"(?i)\bl?ftps?[^\n]{{0,20}}>[ \t]?user[ \t]{{1,2}}\S{{1,60}}[ \t]{{1,2}}({_ARGUMENT})")),
    (
        "securestring",
        re.compile(
            rf"(?i)\bConvertTo-SecureString[ \t]{{1,2}}(?:-(?:AsPlainText|Force|String)[ \t]{{1,2}}){{0,3}}({_ARGUMENT})"
        ),
    ),
)
"""Commands with a password beside a word or in quotes, each with a text that it contains."""


@dataclass(frozen=True, slots=True)
class _Positional:
    """A command that takes a password by its position among the arguments that are no options."""

    words: str
    """The words by which the command begins, with blanks or options between them."""
    before: int = 0
    """The number of arguments before the password."""
    valued: str = ""
    """The options that take the next argument."""
    flags: str = ""
    """Options, each a letter or several to choose from, without which the command asks for the password."""


_BY_POSITION: Final = (
    _Positional("htpasswd", 2, valued="-C -r", flags="b"),
    _Positional("htpasswd", 1, valued="-C -r", flags="b n"),
    _Positional("mosquitto_passwd", 2, valued="-H", flags="b"),
    _Positional("rabbitmqctl add_user", 1, valued="-n --node -t"),
    _Positional("rabbitmqctl change_password", 1, valued="-n --node -t"),
    _Positional("rabbitmqctl authenticate_user", 1, valued="-n --node -t"),
    _Positional("ejabberdctl register", 2, valued="--node"),
    _Positional("ejabberdctl change_password", 2, valued="--node"),
    _Positional("prosodyctl register", 2),
    _Positional("samba-tool user create", 1),
    _Positional("samba-tool user add", 1),
    _Positional("net rpc password", 1, valued="-U -S -I"),
    _Positional("mysqladmin password", valued="-u -h -P -S"),
    _Positional("ipmitool user set password", 1, valued="-I -H -U -P"),
    _Positional("grafana cli admin reset-admin-password", valued="--homepath --config"),
    _Positional("grafana-cli admin reset-admin-password", valued="--homepath --config"),
    _Positional("ansible-vault encrypt_string", valued="-n --name --vault-id --vault-password-file"),
    _Positional("openssl passwd", valued="-salt -in", flags="[156a]"),
    _Positional("mkpasswd", valued="-m -S -R -P --method --salt --rounds", flags="[5ms]"),
    _Positional("mc alias set", 3),
    _Positional("mc admin user add", 2),
    _Positional("radtest", 1, valued="-t -P"),
    _Positional("dscl . -passwd", 1),
    _Positional("wpa_passphrase", 1),
    _Positional("rclone obscure"),
    _Positional("vault login", valued="-method -path"),
)
"""A new command is a line here, and a line of the samples."""


def _positional(command: _Positional) -> re.Pattern[str]:
    valued = "".join(rf"{re.escape(option)}[ \t]+[^\s|;&]{{1,80}}|" for option in command.valued.split())
    option = rf"(?>[ \t]+(?:{valued}-[^\s|;&]{{0,80}}))"
    words = rf"{option}{{0,6}}[ \t]+".join(map(re.escape, command.words.split()))
    flags = "".join(rf"(?=[^\n|;&]{{0,120}}?[ \t]-\w{{0,6}}{flag})" for flag in command.flags.split())
    others = r"(?:\"[^\"\n]{1,80}\"|'[^'\n]{1,80}'|[^\s\"'|;&<>-][^\s|;&<>]{0,160})"
    begin = rf"(?<![\w/-]){words}(?![\w-]){flags}"
    return re.compile(
        rf"{begin}(?:{option}{{0,6}}[ \t]+{others}){{{command.before}}}{option}{{0,6}}[ \t]+({_ARGUMENT})"
    )


_CALLED = re.compile(
    r"(?i)\b(?:\w{0,40}(?:credentials?|basic_?auth|password_?auth(?:entication)?)|auth\s?=|getconnection\s?\([^,\n]{1,200},)"
    r"\s?\(?\s?(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[\w.]{1,40})\s?,\s?(\"[^\"\n]{3,200}\"|'[^'\n]{3,200}')"
)
"""Two arguments of a call for credentials."""
_CONNECTED = re.compile(rf"(?i)\bconnect to \S{{1,60}} user \S{{1,60}} using ({_ARGUMENT})")
_LONG = re.compile(
    r"(?i)(?<!\w)(?:--?(?:[a-z]{1,20}[-_]){0,3}(?:pass(?:word|wd|phrase)?|pwd|secret|token|api-?key|auth-?token|access-?token"
    r"|client-?secret)(?:=|[ \t]{1,2})|/pass(?:word)?:)([^\s-][^\s]*)"
)
"""Options whose name says that their value is a secret, whatever the program."""
_NOT_SECRET = re.compile(
    r"(?i)(?:(?:env|fd|file):|(?:stdin|password|passphrase|passwd|pass|pw|pin|secret|token)(?!\w))"
)
"""Places from which a password is taken, and words that stand for one."""


def _programs(text: str) -> str:
    spans = (value_span(text, span) for span in _program_spans(text))
    return replace_spans(text, sorted(span for span in spans if _is_argument(text, span)), PASSWORD)


def _program_spans(text: str) -> Iterator[Span]:
    # The options of a line are searched once, although it may name the program many times.
    searched: dict[re.Pattern[str], int] = {}
    for word in _WORD.finditer(text):
        found = _OPTIONS.get(word.group().lower().removesuffix(".exe"))
        if found is None:
            continue
        options, command = found
        arguments = _SEGMENT.match(text, word.end())
        if arguments is None or command not in arguments.group():
            continue
        begin = max(arguments.start(), searched.get(options, 0))
        for option in options.finditer(text, begin, arguments.end()):
            start, stop = option.span(option.lastindex or 0)
            yield (start + 5 if text.startswith("pass:", start) else start), stop
        searched[options] = max(begin, arguments.end())


def _is_argument(text: str, span: Span) -> bool:
    return is_value(text, span) and _NOT_SECRET.match(text, *span) is None


def _argument_rule(*patterns: re.Pattern[str]) -> Rule:
    def rule(text: str) -> str:
        for pattern in patterns:
            spans = (value_span(text, match.span(1)) for match in pattern.finditer(text))
            text = replace_spans(text, (span for span in spans if _is_argument(text, span)), PASSWORD)
        return text

    return rule


def _sent(text: str) -> str:
    spans = (match.span(1) for match in _SENT.finditer(text))
    return replace_spans(text, (span for span in spans if looks_secret(text[slice(*span)], at_least=4)), PASSWORD)


COMMANDS: Final[tuple[Rule, ...]] = (
    near_cues(_programs, " -", " /", "_pw", "nmcli", after=4),
    near_cues(_argument_rule(_LONG), "pas", "pwd", "secret", "token", "key"),
    *(near_cues(_argument_rule(pattern), cue) for cue, pattern in _POSITIONAL),
    *(near_cues(_argument_rule(_positional(command)), command.words.split()[0]) for command in _BY_POSITION),
    near_cues(near_cues(_argument_rule(_CALLED), "("), "credential", "auth", "getconnection", before=3, after=9),
    near_cues(_argument_rule(_CONNECTED), "using"),
    near_cues(_argument_rule(_ECHOED), "|"),
    near_cues(_argument_rule(_HERE), "<<<"),
    near_cues(_sent, "send"),
)
