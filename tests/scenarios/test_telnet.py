"""The client reads what a game sends, cut anywhere."""

import socket
import unittest

from tests.scenarios.telnet import Connection, Decoder

# IAC WILL 86, text, IAC DO 31, a subnegotiation, a coloured line, IAC GA.
STREAM = (
    b"\xff\xfb\x56Welcome\r\n\xff\xfd\x1f\xff\xfa\x18\x01\xff\xf0"
    b"\x1b[1m\x1b[33mMara\x1b[0m says, \xe2\x80\x9chi\xe2\x80\x9d\r\n\xff\xf9"
)
LINES = ["Welcome", "Mara says, “hi”"]
REFUSED = b"\xff\xfe\x56\xff\xfc\x1f"


class DecoderTests(unittest.TestCase):
    def test_commands_and_colours_are_taken_out_and_offers_refused(self):
        self.assertEqual(Decoder().feed(STREAM), (LINES, REFUSED))

    def test_the_network_may_cut_anywhere(self):
        for size in (1, 2, 3, 7):
            decoder, lines, answers = Decoder(), [], b""
            for start in range(0, len(STREAM), size):
                more, answer = decoder.feed(STREAM[start : start + size])
                lines += more
                answers += answer
            self.assertEqual((lines, answers), (LINES, REFUSED), size)

    def test_a_line_waits_for_its_end(self):
        decoder = Decoder()
        self.assertEqual(decoder.feed(b"Mara sa")[0], [])
        self.assertEqual(decoder.feed(b"ys hi\r\nBert")[0], ["Mara says hi"])

    def test_a_doubled_iac_is_a_byte_of_the_text(self):
        self.assertEqual(Decoder().feed(b"a\xff\xffb\n"), (["a\ufffdb"], b""))


class ConnectionTests(unittest.TestCase):
    def setUp(self):
        server = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(server.close)
        self.connection = Connection(server.getsockname()[1])
        self.addCleanup(self.connection.close)
        self.game, _ = server.accept()
        self.game.settimeout(30)
        self.addCleanup(self.game.close)

    def test_it_sends_lines_and_answers_offers(self):
        self.connection.send("say hej då")
        self.assertEqual(self.game.recv(100), b"say hej d\xc3\xa5\r\n")
        self.game.sendall(STREAM)
        self.assertEqual(self.connection.receive(), LINES)
        self.assertEqual(self.game.recv(100), REFUSED)

    def test_it_asks_for_a_line_past_all_commands(self):
        self.connection.ask_back(7)
        self.assertEqual(self.game.recv(100), b'\xff\xfa\xc9echo "7"\xff\xf0')

    def test_it_notices_that_the_game_hung_up(self):
        self.game.close()
        self.assertEqual(self.connection.receive(), [])
        self.assertFalse(self.connection.is_open)
