"""Commands beside words for passwords."""

import pytest

from toolsets.skills.redaction import redact


@pytest.mark.parametrize(
    "above",
    [
        "sudo chown mosquitto /etc/mosquitto/passwd",
        "sudo passwd lena",
        "vault login",
        "docker login",
        "wpa_passphrase HomeNet",
        "Log in with the user anna and the password",
        "Use the new password",
        "The new password:",
        "Run this with your passphrase",
        "Remove the stored credentials",
        "set the security answer",
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        "sudo systemctl restart mosquitto",
        "export VAULT_TOKEN",
        "python3 manage.py migrate shop2",
        "cd /opt/app2 && make install",
        "$ docker compose up -d",
    ],
)
def test_a_command_below_a_word_for_a_password_stays(above: str, command: str) -> None:
    assert redact(f"{above}\n{command}\nls -l") == f"{above}\n{command}\nls -l"


def test_a_password_may_still_be_in_the_next_line() -> None:
    assert redact("The new password:\nTulip44\nls -l") == "The new password:\n[password]\nls -l"
    assert redact("recovery phrase:\ncorrect horse battery staple fence") == "recovery phrase:\n[password]"
    assert redact("echo Tulip44 |\n  passwd --stdin anna") == "echo [password] |\n  passwd --stdin anna"


@pytest.mark.parametrize(
    "command",
    [
        "mosquitto_passwd /etc/m/passwd anna",
        "htpasswd -c /etc/nginx/.htpasswd anna tulpe",
        "rabbitmqctl list_users --formatter json",
        "samba-tool user create anna",
        "openssl passwd manually",
    ],
)
def test_a_command_without_a_password_stays(command: str) -> None:
    assert redact(command) == command
