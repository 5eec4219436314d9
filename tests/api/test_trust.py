"""A client against a house that lies to it: the cut stays at home. And a house whose database goes away."""

from collections.abc import Callable
from typing import Any

import pytest

from api.cli_migrate import make_ready
from api.client import Distrust
from deploy.local import Nats, Postgres
from domain import canon, chance, events
from replay import connections
from replay.notes import Signer
from tests.api.house import Person, Refused, Served, seated, settings_for, to_draw, version, wait

Lie = Callable[[dict[str, Any], Signer], None]


class Lied(Person):
    """A client that is shown something else than the house's opening."""

    lie: Lie
    signer: Signer

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        told = super().call(method, path, body, **headers)
        if path.endswith("/opening"):
            self.lie(told, self.signer)
        return told


def digest(opening: dict[str, Any], table: str) -> bytes:
    d = chance.first_digest(table)
    for text in opening["events"]:
        d = chance.node(d, chance.leaf(chance.ZERO, text.encode()))
    return d


def table_of(opening: dict[str, Any]) -> str:
    return str(canon.decode(opening["events"][0].encode())["id"])


def without_my_promise(opening: dict[str, Any], signer: Signer) -> None:
    """The operator's own start, well signed, in which this seat has promised nothing."""
    started = canon.decode(opening["events"][-1].encode())
    opening["events"][-1] = canon.encode(started | {"cuts": [None, *started["cuts"][1:]]}).decode()
    opening["started"] = signer.started(table_of(opening), digest(opening, table_of(opening))).decode()


def with_another_promise(opening: dict[str, Any], signer: Signer) -> None:
    started = canon.decode(opening["events"][-1].encode())
    opening["events"][-1] = canon.encode(started | {"cuts": ["00" * 32, *started["cuts"][1:]]}).decode()
    opening["started"] = signer.started(table_of(opening), digest(opening, table_of(opening))).decode()


def signed_by_somebody(opening: dict[str, Any], signer: Signer) -> None:
    stranger = Signer.generate(signer.key.name)
    opening["started"] = stranger.started(table_of(opening), digest(opening, table_of(opening))).decode()


def of_other_events(opening: dict[str, Any], signer: Signer) -> None:
    """The note is the house's, the events are not the ones it signed."""
    sat = canon.decode(opening["events"][1].encode())
    opening["events"][1] = canon.encode(sat | {"who": "somebody-else"}).decode()


def not_started(opening: dict[str, Any], signer: Signer) -> None:
    opening["started"] = None


def another_kind(opening: dict[str, Any], signer: Signer) -> None:
    opening["started"] = signer.checkpoint(table_of(opening), digest(opening, table_of(opening))).decode()


def of_another_table(opening: dict[str, Any], signer: Signer) -> None:
    opening["started"] = signer.started("anothertable00001", digest(opening, table_of(opening))).decode()


LIES = [without_my_promise, with_another_promise, signed_by_somebody, of_other_events, not_started, another_kind,
        of_another_table]  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_a_client_that_is_lied_to_does_not_send_its_cut(house: Served, lie: Lie) -> None:
    ada, ben = Lied(house.url), house.person("Ben")
    ada.signer, ada.lie = house.services.signer, lambda *_: None
    ada.guest("Ada")
    table = ada.open("michigan_rummy", 2)["id"]
    ada.sit(table, 0)
    ben.sit(table, 1)
    ada.start(table)
    before = version(house, table)
    ada.lie = lie
    with pytest.raises(Distrust):
        ada.cut(table)
    assert version(house, table) == before
    ada.lie = lambda *_: None
    ada.cut(table)
    assert version(house, table) == before + 1


def test_the_opening_is_everything_up_to_the_start_and_no_more(house: Served) -> None:
    table, crowd = seated(house)
    seat, key = to_draw(table, crowd)
    crowd[seat].move(table, key, {"type": "draw"})
    shown = [events.decode(text.encode()) for text in crowd[0].call("GET", f"/tables/{table}/opening")["events"]]
    assert [type(event) for event in shown] == [events.Opened, events.Sat, events.Sat, events.Started]


def test_while_the_database_is_away_nothing_is_taken_and_nothing_lost(
    own_postgres: Postgres, own_nats: Nats, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(own_postgres.to("ready"), own_nats.credentials("server"), tmp_path / "keys")
    make_ready(settings)
    with Served(settings) as house:
        table, crowd = seated(house)
        seat, key = to_draw(table, crowd)
        monkeypatch.setattr(connections, "PATIENCE_S", 0.2)
        own_postgres.kill()
        wait(lambda: not house.watcher().http.get("/healthz").json()["database"])
        for _ in range(2):
            answer = crowd[seat].http.post(
                f"/tables/{table}/moves", json={"key": key, "move": {"type": "draw"}},
                headers={"idempotency-key": "while-it-is-away"},
            )  # fmt: skip
            assert (answer.status_code, answer.json()["code"]) == (503, "UNAVAILABLE")
            assert answer.headers["retry-after"]
        with pytest.raises(Refused) as no:
            house.person("Cleo")
        assert no.value.status == 503
        own_postgres.start()
        before = version(house, table)
        done = crowd[seat].move(table, key, {"type": "draw"}, "while-it-is-away")
        assert version(house, table) == before + 1
        assert crowd[seat].move(table, key, {"type": "draw"}, "while-it-is-away") == done
        assert house.watcher().http.get("/healthz").json()["database"]
