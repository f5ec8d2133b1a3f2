"""A telnet client for scenarios: plain lines in, plain lines out, on a plain socket."""

import re
import socket

IAC, DONT, DO, WONT, WILL, SB, SE = 255, 254, 253, 252, 251, 250, 240

GMCP = 201

# What the client answers to each offer and request of the server: no.
REFUSALS = {DO: WONT, WILL: DONT}

_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]")
# The seconds that the server has to accept a connection.
CONNECT_SECONDS = 60
CHUNK = 65536


class Decoder:
    """Takes telnet's own bytes and colours out of a stream, wherever the network cut it."""

    def __init__(self):
        self._waiting = b""
        self._line = b""

    def feed(self, data):
        """Return the lines that are complete now, and the bytes to answer to the server."""
        self._waiting += data
        answers = bytearray()
        while self._waiting:
            plain, mark, rest = self._waiting.partition(bytes([IAC]))
            self._line += plain
            self._waiting = mark + rest
            length = _command_length(self._waiting)
            if not length:
                break
            command, self._waiting = self._waiting[:length], self._waiting[length:]
            if command[1] == IAC:
                self._line += command[1:]
            elif command[1] in REFUSALS:
                answers += bytes([IAC, REFUSALS[command[1]], command[2]])
        *lines, self._line = self._line.split(b"\n")
        return [_plain(line) for line in lines], bytes(answers)


class Connection:
    """One player's line to the game."""

    def __init__(self, port, host="127.0.0.1"):
        self.is_open = True
        self._decoder = Decoder()
        self._socket = socket.create_connection((host, port), timeout=CONNECT_SECONDS)

    def fileno(self):
        """Return what `select` waits for."""
        return self._socket.fileno()

    def send(self, line):
        """Type a line."""
        self._socket.sendall(line.encode() + b"\r\n")

    def ask_back(self, mark):
        """Ask for a line with this number: the game answers past its commands and menus.

        Evennia takes such a message of GMCP also from a client that speaks none.
        """
        asked = f'echo "{mark}"'.encode()
        self._socket.sendall(bytes([IAC, SB, GMCP]) + asked + bytes([IAC, SE]))

    def receive(self):
        """Return the lines that have come in; to be called when there is something to read."""
        try:
            data = self._socket.recv(CHUNK)
        except OSError:
            data = b""
        if not data:
            self.close()
            return []
        lines, answers = self._decoder.feed(data)
        if answers:
            self._socket.sendall(answers)
        return lines

    def close(self):
        """Hang up."""
        self.is_open = False
        self._socket.close()


def _command_length(data):
    """Return the length of the telnet command at the start, or 0 if it is not all there."""
    if len(data) < 2:
        return 0
    if data[1] == SB:
        end = data.find(bytes([IAC, SE]))
        return end + 2 if end >= 0 else 0
    length = 3 if data[1] in (WILL, WONT, DO, DONT) else 2
    return length if len(data) >= length else 0


def _plain(line):
    return _ANSI.sub("", line.decode("utf-8", "replace")).replace("\r", "").rstrip()
