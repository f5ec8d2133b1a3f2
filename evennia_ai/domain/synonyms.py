"""Other words for the same thing: what a question calls a drink, an answer may call ale.

A line is a group: its words stand for each other, and each of them is also answered by the words after
"<", but not the other way round ("wine" is no "ale"). Games add lines of their own by the setting
SYNONYMS.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from evennia_ai.core import words

# How well another word answers: one for the same thing, and one for something of its kind.
SAME, KIND = 0.9, 0.8

ENGLISH = """
drink beverage booze thirsty < ale beer wine mead cider milk water brandy whisky rum tea inn tavern
ale beer brew pint lager
food meal dinner supper lunch eat feed fed dish menu hungry starving < stew bread soup breakfast cheese pie meat
food meal dinner supper lunch eat dish menu hungry starving < porridge roast broth inn tavern
bed room lodging lodgings accommodation chamber
sleep stay spend overnight < bed room lodging inn
inn tavern pub alehouse
monster creature beast danger dangerous threat safe risky < goblin orc troll wolf dragon bandit undead
animal beast < cow sheep goat pig hen
monster < serpent kraken
dangerous < fierce angry deadly poisonous kicks bites
monster creature beast danger dangerous threat safe risky < ghost haunted giant robber bear demon witch vampire werewolf curse poison rat
guard watch watchman guardsman militia soldier
leader boss chief charge lead led head rule ruler command run < captain mayor king queen lord lady chief
run own keep keeper owner innkeeper landlord
king queen monarch crown throne reign
healer doctor medic physician heal cure treat sick ill wounded hurt bleeding < priest herb potion herbalist
medicine remedy cure < potion herb salve
ill sick sickness disease fever
smith blacksmith smithy forge smithing
priest cleric church chapel temple shrine pray
shop store merchant trader shopkeeper market
sell sale ware trade goods stock buy purchase
wife husband spouse single married marry widow widower wed wedding partner
open opening opened < close closed closes shut
passable open safe < flooded snow closed washed blocked
reward bounty ransom
map chart
overnight < night
stable stabling stall
child children kid son daughter offspring < twin
son < boy lad
daughter < girl lass
mother mum mom mama mam
father dad papa pa
brother sibling bro
sister sibling sis
family relative < mother father brother sister son daughter wife husband uncle aunt
work job trade profession occupation career employed < apprentice
live dwell reside lodge home house
forest wood woods trees
town village city settlement
fear afraid scared frightened terrified dread
mend repair fix
horse mount steed pony < stable stabling
weapon blade arms armament < sword dagger axe bow knife spear mace
sword blade
sword < weapon arms
dagger < weapon arms
axe < weapon arms
bow < weapon arms
fight < weapon arms
metal ore < iron steel copper
thief robber burglar thieves
crime law complain complaint report thief < watch guard captain sheriff
festival fair celebration feast fete
pet animal < cat dog horse
teach teacher taught learn learned train trained master
make made build built craft crafted construct
bank shore side riverside
ruin remains relic < grave tomb runes
burn fuel < oil wood coal peat
close shut closing
ghost haunted spirit spook
music song musician < bard bards minstrel
boat ferry ship
destroyed ruined gone wrecked < washed burned collapsed
born birth birthplace
grave buried tomb
lost lose missing
hound dog
fish fishing < pike eel trout salmon cod perch herring carp mackerel
fruit < apple pear plum cherry
dead alive living die < buried grave drowned killed lost
drunk drunkard tipsy < drinks
prayer mass sermon service
path road way street lane
ache pain hurt sore < headache bruise wound knee
"""

SWEDISH = """
dryck dricka drycker törstig < öl vin mjöd cider vatten brännvin krog värdshus
öl bira pilsner bärs
mat äta middag lunch hungrig måltid käk < ärtsoppa soppa gryta bröd fisk kött gröt ost krog värdshus
krog värdshus taverna pub
sova säng rum logi natthärbärge övernatta < rum värdshus krog
monster odjur varelse farlig farligt fara säker säkert < troll vätte varg björn drake rövare spöke häxa
läkare doktor sjuk sjuka bota hela medicin skadad ont < häxa örter präst
medicin läkemedel < örter
smed smedja smida smeden
laga reparera fixa
kyrka kapell mässa präst gudstjänst
fru hustru make maka gift änka änkling
barn unge ungar < dotter son
mor mamma moder morsa
far pappa fader farsa
bror brorsa syskon
syster syrra syskon
jobba arbeta yrke arbete jobb syssla
bo hem hus bostad
rädd rädsla skräck skrämd
by stad samhälle
lag vakt tjuv brott stulen < länsman
kung drottning härskare
styra bestämma chef < länsman kung borgmästare
chef husbonde patron herre
öppen öppet öppna öppnar < stängd stängt stänger
djur kreatur boskap < ko kor häst får get höna gris tjur
farlig farligt < ilsken giftig bits
resa överfart färd åka ro
pris kosta kostnad avgift
natt mörker mörk kväll
marknad torg handel
båt färja eka
fisk fiska < gädda abborre lax torsk makrill sill ål
död leva levande dö < begravd drunknade dräpt grav dog
full berusad < dricker
elda bränsle bränna brinna brinner eldar
lämning fornminne ruin < grav runor
olycka haveri förlisa förliste förlisning < drunknade grund
familj släkt anhöriga < hustru dotter son bror syster mor far
sälja köpa varor handla
"""

LANGUAGES = {"en": ENGLISH, "sv": SWEDISH}

Groups = Mapping[str, Mapping[str, float]]


def related(word: str, language: str, *, own: Iterable[str] = ()) -> Mapping[str, float]:
    """Return the stems that may answer for a stem, each with how well; `own` are lines of the game."""
    return _groups(language, tuple(own)).get(word, {})


@lru_cache(maxsize=16)
def _groups(language: str, own: tuple[str, ...]) -> Groups:
    lines = [*LANGUAGES.get(language, "").strip().splitlines(), *own]
    groups: dict[str, dict[str, float]] = defaultdict(dict)
    for line in lines:
        same, _, kinds = line.casefold().partition("<")
        stems = [words.stem(word, language) for word in same.split()]
        narrower = [words.stem(word, language) for word in kinds.split()]
        for stem in stems:
            for other, worth in (
                *((one, KIND) for one in narrower),
                *((one, SAME) for one in stems),
            ):
                groups[stem][other] = max(worth, groups[stem].get(other, 0.0))
    return dict(groups)
