"""Runs a command on a terminal of its own: on-terminal.py COLUMNS ROWS COMMAND...

What is written to stdin are keys; what the command shows comes out of stdout. The line
"ESC _ resize COLUMNS ROWS ESC \\" among the keys changes the size of the terminal, and stands in the output where
that was done.
"""
import fcntl, os, pty, re, select, struct, sys, termios

RESIZE = re.compile(rb"(\x1b_resize \d+ \d+\x1b\\)")


def resize(columns, rows):
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def press(keys):
    for part in RESIZE.split(keys):
        if RESIZE.fullmatch(part):
            os.write(1, part)
            resize(*map(int, part[:-2].split()[1:]))
        elif part:
            os.write(terminal, part)


child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[3], sys.argv[3:])
resize(int(sys.argv[1]), int(sys.argv[2]))
sources = [terminal, 0]
while terminal in sources:
    for source in select.select(sources, [], [])[0]:
        try:
            data = os.read(source, 65536)
        except OSError:  # The command has ended.
            data = b""
        if not data:
            sources.remove(source)
        elif source == terminal:
            os.write(1, data)
        else:
            press(data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
