"""A mind at work: perceiving, and one turn of thinking and answering. Start reading at `loop`."""
