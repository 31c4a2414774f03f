# SPDX-License-Identifier: Apache-2.0
# terminal.py [--background] [--input] ACTION… -- COMMAND…: runs a command on a terminal of its own, and says what is seen
# there. `ask` waits for a question, `answer` for one and types the name of its key, `type TEXT` and `key X` answer it with a line
# or with control-X, `early TEXT` types a line once the last one was read, `signal NAME` sends one,
# `stopped` waits until the job stands still, `continue` has it go on, `end` waits for its end. With --input, standard input
# is the terminal, too.
import fcntl, os, select, signal, sys, termios, time

separator = sys.argv.index("--")
words, command = sys.argv[1:separator], sys.argv[separator + 1:]
flags = {word for word in words if word.startswith("--")}
master, slave = os.openpty()
reports, news = os.pipe()
orders, order = os.pipe()


def lead():
    """The leader of the terminal's session, as a shell is: the command is a job of its own."""
    # Where it is held nowhere else, the terminal hangs up when this program is ended, and so ends the session.
    os.close(master)
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        if "--background" not in flags:
            os.tcsetpgrp(slave, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        if "--input" in flags:
            os.dup2(slave, 0)
        os.dup2(slave, 2)
        os.execvp(command[0], command)
    os.write(news, b"job %d\n" % job)
    while True:
        _, status = os.waitpid(job, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            break
        os.tcsetpgrp(slave, os.getpgrp())
        os.write(news, b"stopped\n")
        os.read(orders, 1)
        os.tcsetpgrp(slave, job)
        os.killpg(job, signal.SIGCONT)
    os.write(news, b"ended with %s\n" % (b"%d" % os.WEXITSTATUS(status) if os.WIFEXITED(status) else b"signal %d" % os.WTERMSIG(status)))
    # The terminal is looked at before it is gone.
    os.read(orders, 1)
    os._exit(0)


if os.fork() == 0:
    lead()
seen, limit = b"", time.monotonic() + 60


def wait(is_enough):
    """Reads what is on the terminal, and reports, until that is enough."""
    global seen, told
    while not is_enough():
        ready, _, _ = select.select([master, reports], [], [], limit - time.monotonic())
        if not ready:
            sys.exit(f"nothing came after {seen} {told}")
        if master in ready:
            seen += os.read(master, 4096)
        elif reports in ready:
            told += os.read(reports, 4096)


def shown():
    return "shown" if termios.tcgetattr(slave)[3] & termios.ECHO else "not shown"


told = b""
wait(lambda: b"\n" in told)
# What comes next may have come with it.
first, _, told = told.partition(b"\n")
job = int(first.split()[1])
for word in words:
    action, _, text = word.partition(" ")
    if action == "ask":
        wait(lambda: seen.endswith(b": "))
        # What a signal ended or stopped has begun a new line.
        print(seen.decode().replace("\r", "").lstrip("\n") + f"[{shown()}]", flush=True)
        seen = b""
    elif action == "answer":
        wait(lambda: seen.endswith(b": "))
        assert seen.count(b"passphrase of") == 1, seen
        name = seen.split(b"passphrase of '")[1].split(b".pem'")[0]
        print(f"answered {shown()}", flush=True)
        seen = b""
        os.write(master, name + b"\n")
    elif action == "early":
        wait(lambda: b"\n" in seen)
        os.write(master, text.encode() + b"\n")
    elif action == "type":
        os.write(master, text.encode() + b"\n")
    elif action == "key":
        os.write(master, bytes([ord(text) & 31]))
    elif action == "signal":
        os.kill(job, getattr(signal, "SIG" + text))
    elif action == "continue":
        os.write(order, b"x")
    elif action in ("stopped", "end"):
        wait(lambda: told.endswith(b"\n"))
        while select.select([master], [], [], 0.1)[0]:
            seen += os.read(master, 4096)
        print(seen.decode().replace("\r", "").lstrip("\n") + f"{told.decode().strip()}, {shown()}", flush=True)
        seen = told = b""
        if action == "end":
            os.write(order, b"x")
