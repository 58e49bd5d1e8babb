"""Documents in four languages, and questions for them whose words are inflected otherwise."""

DOCUMENTS = {
    "bruecke.md": """# Die Steinbrücke von Osmere

Im Jahr 1876 wurde bei Osmere eine Brücke aus Stein über den Fluss gebaut. Der Baumeister Lukas Amery leitete
die Arbeiten, die vier Jahre dauerten. Die Bögen ruhen auf drei Pfeilern, und an jedem Pfeiler hängt eine
Laterne aus Eisen.

Nach dem Hochwasser von 1911 erneuerten die Handwerker das Geländer. Seitdem dürfen schwere Wagen nicht mehr
hinüberfahren.
""",
    "haeuser.md": """# Fachwerkhäuser am Markt

Am Markt von Osmere stehen zwölf Häuser mit Fachwerk, deren Giebel mit bemalten Brettern verkleidet sind. Das
älteste Haus gehörte einer Familie von Gerbern, die ihre Häute im Bach wuschen.

In den Kellern lagerten die Kaufleute Äpfel, Nüsse und Fässer mit Wein. Heute wohnen dort Studenten.
""",
    "chevaux.md": """# Les chevaux du port

Au port de Vaublanc, des chevaux de trait tiraient autrefois les bateaux le long du canal. Les animaux
travaillaient par deux, et un gamin les menait avec une longue corde.

Les journaux de l'époque racontent que les maréchaux-ferrants ouvraient leurs ateliers avant l'aube. Le
dernier cheval a quitté le quai en 1934.
""",
    "vendanges.md": """# Les vendanges tardives

Les vigneronnes de Saint-Aubrac cueillent les raisins après les premières gelées. Le vin qu'elles en tirent
est doux et doré, et il vieillit vingt ans dans des tonneaux de chêne.

Les caves sont creusées dans la craie ; il y fait frais même pendant les étés les plus chauds.
""",
    "garzas.md": """# Las garzas de la laguna

En la laguna de Valdemora anidan unas cuarenta garzas. Los pájaros construyen sus nidos en los juncos, y los
pescadores los protegen desde que se fundó la cofradía en 1952.

Cuando llegan las lluvias, las crías ya vuelan. Los lobos y las jinetas bajan de los montes a beber.
""",
    "naranjas.md": """# Los naranjales del valle

Los agricultores del valle cultivaban naranjas y limones en terrazas que regaban con agua de las acequias. Las
mujeres envolvían la fruta en papel de seda antes de cargarla en los barcos.

El comercio terminó cuando una helada destruyó los árboles más viejos.
""",
    "mill.md": """# The water mill at Osmere

The mill below the weir ground barley for the farms of the valley. Its wheel was carved from elm by the
wheelwright Tobias Wren, who also repaired the carts of the market.

When the railway came, the millers closed their doors, and swallows have nested in the loft ever since.
""",
    "lighthouse.md": """# The lighthouse keepers

Two keepers lived on the rock and lit the lamp each evening. They wrote the weather into a log, grew cabbages
behind the wall and waited for the boat that brought their letters.

The light was automated in 1968, and the last keeper died in a cottage in Osmere.
""",
}
QUESTIONS = {
    "Welcher Baumeister baute die Brücken?": "bruecke.md",
    "Wem gehörte das Haus eines Gerbers?": "haeuser.md",
    "Wo lagerte ein Kaufmann den Apfel und die Nuss?": "haeuser.md",
    "Quel animal travaillait le long des canaux ?": "chevaux.md",
    "Quand ont-ils quitté le port avec leur cheval ?": "chevaux.md",
    "Qui cueille le raisin après une gelée ?": "vendanges.md",
    "¿Dónde construye su nido un pájaro?": "garzas.md",
    "¿Qué cultivaba el agricultor en una terraza?": "naranjas.md",
    "Who carved the wheels of the mills?": "mill.md",
    "What did the keeper grow on the rocks?": "lighthouse.md",
    "Where did the keepers die?": "lighthouse.md",
}
LANGUAGES = {
    "bruecke.md": "de",
    "haeuser.md": "de",
    "chevaux.md": "fr",
    "vendanges.md": "fr",
    "garzas.md": "es",
    "naranjas.md": "es",
    "mill.md": "en",
    "lighthouse.md": "en",
}
