"""What the assistants of the benchmarks of sleep have heard and seen."""

PEOPLE = "Ann Bob Cid Dora Eve Finn Greta Hugo".split()
# What is noted, by how often; {who} and {other} are people, {thing} a thing, {number} a number.
NOTED = (
    "I saw {other} by the {thing} last night.",
    "The {thing} is broken again, and {other} will not mend it.",
    "{other} owes me {number} crowns for the {thing}.",
    "I love the {thing}, but I cannot stand {other}.",
    "My brother works at the {thing}.",
    "They say that the {thing} was stolen.",
    "I promised {other} to look after the {thing}.",
    "{other} never pays for the {thing}.",
    "There will be {number} guests for the feast at the {thing}.",
    "I am afraid of what lies under the {thing}.",
)
DONE = (
    "{who} gives the assistant a mug.",
    "{who} leaves for the {thing}.",
    "{who} bows to {other}.",
)
THINGS = "well bridge mill tavern forge barn chapel garden market cellar ferry tower".split()
