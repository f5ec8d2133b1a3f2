"""What stands around in a situation and says nothing about how it ends."""

NAMES = {
    "train": (
        "Orin Maud Tobin Sela Garrick Wenna Piet Ilse Rafe Dunja Corin Hester "
        "Lorcan Brida Anselm Tilda Joss Marit Evard Nan Silvan Gerda Udo Petra"
    ).split(),
    "test": (
        "Hamo Ysolt Bertram Agnes Falk Rowena Kuno Liv Oswin Edda Tancred Mira "
        "Gisbert Una Alaric Signe Wilmot Thora Ruprecht Ada Leif Gunda Matthis Ines"
    ).split(),
}
TRADES = (
    "farrier cooper weaver sailor miller shepherd tinker mason carter fiddler tanner clerk "
    "midwife potter ferryman baker hunter pilgrim scribe drover"
).split()
THINGS = (
    "kettle saddle lamp cloak knife barrel clock fiddle anvil ladder rope mirror chest plough "
    "hammer basket shield kettle-drum bell spade"
).split()
PLACES = (
    "mill bridge chapel quarry ferry lighthouse ruin orchard mine ford castle well grove tower "
    "cave harbour monastery watchtower market graveyard"
).split()
WEATHER = (
    "It rains.",
    "The fire smokes.",
    "A dog barks outside.",
    "It is getting dark.",
    "The church bell strikes.",
    "Somebody plays a flute upstairs.",
    "There is a smell of onions.",
    "The wind rattles the shutters.",
    "A cart rolls by.",
    "The candles were just lit.",
    "It is the first cold day.",
    "Bees hum at the window.",
)
