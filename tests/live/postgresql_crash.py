#!/usr/bin/env python3
"""postgresql_crash.py STORE_DO CONTROL PSQL HOST:PORT USER/DATABASE - a crash that forgets a transaction

A server that crashes forgets transactions whose log it had not written, and gives their numbers to others.  So "committed",
its answer for the number of a change whose COMMIT was lost, is then about somebody else's change.  A proxy stops a COMMIT,
the server crashes and takes the number again, and only then the writer can ask.  It must make the change again, or, where
that could undo the change of another, say that the outcome is not known.  Tried with a crash of the whole server (CONTROL
kill, CONTROL start) and with one of a single process of it.
"""
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
from tcp_proxy import Proxy  # noqa: E402

TRIES, SECONDS, FAREWELL = 10, 30, 57  # FAREWELL: bytes of COMMIT and of what follows
program, control, psql, where, (user, database) = *sys.argv[1:5], sys.argv[5].split("/")
server = (where.split(":")[0], int(where.split(":")[1]))
nowhere = ("127.0.0.1", 1)
proxy = Proxy(server)
url = f"postgresql://{user}@127.0.0.1:{proxy.port}/{database}?table=crash&sslmode=disable"
writer_of = "FROM pg_stat_activity WHERE state = 'idle in transaction' AND backend_xid IS NOT NULL"


def sql(text):
    done = subprocess.run([psql, "-qAt", "-h", server[0], "-p", str(server[1]), "-U", user, database, "-c", text],
                          capture_output=True, text=True, check=False, timeout=60)
    return done.stdout.strip() if done.returncode == 0 else None


def do(*words):
    return subprocess.Popen([program, str(SECONDS), url, *words], stdout=subprocess.PIPE, text=True)


def answer(child):
    return child.communicate(timeout=SECONDS + 20)[0].strip()


def wait_for(condition):
    until = time.monotonic() + SECONDS
    while (got := condition()) in (None, ""):
        assert time.monotonic() < until, "waited in vain"
        time.sleep(0.1)
    return got


def crash_server(_):
    subprocess.run([control, "kill"], check=True)
    subprocess.run([control, "start"], check=True)


def crash_process(pid):
    os.kill(int(pid), signal.SIGKILL)


def bytes_of(change):
    proxy.plan("none")
    assert answer(do(change, "k", "old")).startswith("ok")
    time.sleep(0.5)
    return proxy.count["up"]


def forget(crash, change):
    """What the writer says, and whether its number was given again"""
    proxy.plan("stall", "up", bytes_of(change) - FAREWELL, 1)
    child = do(change, "k", "new")
    number, pid = wait_for(lambda: sql(f"SELECT backend_xid, pid {writer_of}")).split("|")
    proxy.target = nowhere
    crash(pid)
    given = 0
    while given < int(number):
        given = int(wait_for(lambda: sql("INSERT INTO others VALUES (1) RETURNING txid_current()")))
        again = given <= int(number)
    proxy.target = server
    return answer(child), again


def main():
    for setting in ("wal_writer_delay = '10s'", "autovacuum = off", "bgwriter_lru_maxpages = 0"):
        sql(f"ALTER SYSTEM SET {setting}")
    sql("SELECT pg_reload_conf(); CREATE TABLE others (n int)")
    bytes_of("put")  # it creates the table
    failed = 0
    for crash in (crash_server, crash_process):
        for change, *right in (("put", "ok", "new"), ("replace", "error E_UNCERTAIN", "old")):
            for _ in range(TRIES):
                said, again = forget(crash, change)
                if again:
                    break
            value = answer(do("get", "k")).split()[-1]
            good = again and said.startswith(right[0]) and value == right[1]
            failed += not good
            print(f"{'ok' if good else 'FAILED'}: {crash.__name__}, {change}: number given again: {again}; {said}; then {value}")
    sql("ALTER SYSTEM RESET ALL")
    sql("SELECT pg_reload_conf()")
    return failed


sys.exit(main())
