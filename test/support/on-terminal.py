"""Runs a command on a terminal of its own: on-terminal.py COLUMNS ROWS COMMAND...

What is written to stdin are keys; what the command shows comes out of stdout.
"""
import fcntl, os, pty, select, struct, sys, termios

columns, rows = int(sys.argv[1]), int(sys.argv[2])
child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[3], sys.argv[3:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
sources = [terminal, 0]
while terminal in sources:
    for source in select.select(sources, [], [])[0]:
        try:
            data = os.read(source, 65536)
        except OSError:  # The command has ended.
            data = b""
        if not data:
            sources.remove(source)
        else:
            os.write(1 if source == terminal else terminal, data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
