"""What multilingual-e5-small sees of a text's language, whatever it tells: the file `e5-languages.npy`.

`python tests/build/encoders/language_directions.py` writes it: the mean vectors of questions and of texts,
and an orthonormal basis of what tells the means of the languages apart, from the same ten sentences in each.
"""

from pathlib import Path

import numpy as np

from sage_ld.build.encoders import e5

PATH = Path(e5.__file__).with_name(e5.LANGUAGES)
SENTENCES = {
    "ar": """توقف المطر قبل الظهر وأشرقت الشمس.
ارتفع سعر الحليب بنسبة عشرة في المئة هذا العام.
قررت المحكمة أن العقد غير صالح.
يجب تناول الدواء مرتين في اليوم بعد الطعام.
قطّع البصل واقله في الزيت حتى يصبح ذهبيًا.
يحفظ البرنامج الملف تلقائيًا كل خمس دقائق.
انتهت الحرب بعد سبع سنوات بمعاهدة سلام.
فاز الفريق بالمباراة في الدقيقة الأخيرة.
يعيش أخي مع زوجته وطفليه في المدينة.
ينبع النهر من الجبال ويصب في البحر.""",
    "de": """Am Vormittag hörte der Regen auf, und die Sonne schien.
Der Milchpreis ist in diesem Jahr um zehn Prozent gestiegen.
Das Gericht entschied, dass der Vertrag ungültig ist.
Das Medikament soll zweimal täglich nach dem Essen eingenommen werden.
Die Zwiebeln schneiden und in Öl goldbraun braten.
Das Programm speichert die Datei alle fünf Minuten automatisch.
Der Krieg endete nach sieben Jahren mit einem Friedensvertrag.
Die Mannschaft gewann das Spiel in der letzten Minute.
Mein Bruder lebt mit seiner Frau und zwei Kindern in der Stadt.
Der Fluss entspringt in den Bergen und mündet ins Meer.""",
    "en": """The rain stopped before noon and the sun came out.
The price of milk has risen by ten percent this year.
The court decided that the contract is invalid.
The medicine should be taken twice a day after meals.
Chop the onions and fry them in oil until golden.
The program saves the file automatically every five minutes.
The war ended after seven years with a peace treaty.
The team won the match in the last minute.
My brother lives in the city with his wife and two children.
The river rises in the mountains and flows into the sea.""",
    "es": """La lluvia cesó antes del mediodía y salió el sol.
El precio de la leche ha subido un diez por ciento este año.
El tribunal decidió que el contrato no es válido.
El medicamento debe tomarse dos veces al día después de las comidas.
Picar las cebollas y freírlas en aceite hasta que estén doradas.
El programa guarda el archivo automáticamente cada cinco minutos.
La guerra terminó después de siete años con un tratado de paz.
El equipo ganó el partido en el último minuto.
Mi hermano vive en la ciudad con su mujer y dos hijos.
El río nace en las montañas y desemboca en el mar.""",
    "fr": """La pluie a cessé avant midi et le soleil est apparu.
Le prix du lait a augmenté de dix pour cent cette année.
Le tribunal a décidé que le contrat n'est pas valable.
Le médicament doit être pris deux fois par jour après les repas.
Hacher les oignons et les faire revenir dans l'huile jusqu'à ce qu'ils soient dorés.
Le programme enregistre le fichier automatiquement toutes les cinq minutes.
La guerre s'est terminée au bout de sept ans par un traité de paix.
L'équipe a gagné le match à la dernière minute.
Mon frère habite en ville avec sa femme et ses deux enfants.
Le fleuve prend sa source dans les montagnes et se jette dans la mer.""",
    "it": """La pioggia è cessata prima di mezzogiorno ed è uscito il sole.
Il prezzo del latte è aumentato del dieci per cento quest'anno.
Il tribunale ha deciso che il contratto non è valido.
Il medicinale va preso due volte al giorno dopo i pasti.
Tritare le cipolle e friggerle nell'olio finché sono dorate.
Il programma salva il file automaticamente ogni cinque minuti.
La guerra finì dopo sette anni con un trattato di pace.
La squadra ha vinto la partita all'ultimo minuto.
Mio fratello vive in città con sua moglie e due figli.
Il fiume nasce nelle montagne e sfocia nel mare.""",
    "ja": """雨は昼前にやみ、日が差してきた。
牛乳の値段は今年十パーセント上がった。
裁判所は契約が無効であると判断した。
この薬は一日に二回、食後に飲んでください。
玉ねぎを刻み、きつね色になるまで油で炒める。
プログラムは五分ごとに自動でファイルを保存する。
戦争は七年後に平和条約で終わった。
チームは最後の一分で試合に勝った。
兄は妻と二人の子どもと一緒に町で暮らしている。
川は山から流れ出て海に注ぐ。""",
    "ko": """비는 정오 전에 그치고 해가 나왔다.
우유 가격은 올해 십 퍼센트 올랐다.
법원은 계약이 무효라고 판결했다.
이 약은 하루에 두 번 식후에 복용해야 한다.
양파를 썰어 기름에 노릇해질 때까지 볶는다.
프로그램은 오 분마다 파일을 자동으로 저장한다.
전쟁은 칠 년 후 평화 조약으로 끝났다.
팀은 마지막 순간에 경기에서 이겼다.
형은 아내와 두 아이와 함께 도시에 산다.
강은 산에서 시작하여 바다로 흘러간다.""",
    "nl": """De regen hield voor de middag op en de zon brak door.
De melkprijs is dit jaar met tien procent gestegen.
De rechtbank besliste dat het contract ongeldig is.
Het geneesmiddel moet tweemaal per dag na de maaltijd worden ingenomen.
Snijd de uien en bak ze in olie tot ze goudbruin zijn.
Het programma slaat het bestand elke vijf minuten automatisch op.
De oorlog eindigde na zeven jaar met een vredesverdrag.
Het team won de wedstrijd in de laatste minuut.
Mijn broer woont met zijn vrouw en twee kinderen in de stad.
De rivier ontspringt in de bergen en mondt uit in zee.""",
    "pl": """Deszcz ustał przed południem i wyszło słońce.
Cena mleka wzrosła w tym roku o dziesięć procent.
Sąd orzekł, że umowa jest nieważna.
Lek należy przyjmować dwa razy dziennie po posiłku.
Posiekać cebulę i smażyć na oleju na złoty kolor.
Program automatycznie zapisuje plik co pięć minut.
Wojna zakończyła się po siedmiu latach traktatem pokojowym.
Drużyna wygrała mecz w ostatniej minucie.
Mój brat mieszka w mieście z żoną i dwojgiem dzieci.
Rzeka wypływa z gór i wpada do morza.""",
    "pt": """A chuva parou antes do meio-dia e o sol apareceu.
O preço do leite subiu dez por cento este ano.
O tribunal decidiu que o contrato é inválido.
O medicamento deve ser tomado duas vezes por dia depois das refeições.
Pique as cebolas e frite-as em óleo até ficarem douradas.
O programa grava o ficheiro automaticamente a cada cinco minutos.
A guerra terminou sete anos depois com um tratado de paz.
A equipa ganhou o jogo no último minuto.
O meu irmão vive na cidade com a mulher e dois filhos.
O rio nasce nas montanhas e desagua no mar.""",
    "ru": """Дождь прекратился до полудня, и выглянуло солнце.
Цена на молоко в этом году выросла на десять процентов.
Суд решил, что договор недействителен.
Лекарство следует принимать два раза в день после еды.
Нарежьте лук и обжарьте его в масле до золотистого цвета.
Программа автоматически сохраняет файл каждые пять минут.
Война закончилась через семь лет мирным договором.
Команда выиграла матч на последней минуте.
Мой брат живёт в городе с женой и двумя детьми.
Река берёт начало в горах и впадает в море.""",
    "sv": """Regnet upphörde före middagstid och solen kom fram.
Mjölkpriset har stigit med tio procent i år.
Domstolen beslutade att avtalet är ogiltigt.
Läkemedlet ska tas två gånger om dagen efter måltid.
Hacka löken och stek den i olja tills den är gyllene.
Programmet sparar filen automatiskt var femte minut.
Kriget slutade efter sju år med ett fredsavtal.
Laget vann matchen i sista minuten.
Min bror bor i staden med sin fru och två barn.
Floden rinner upp i bergen och mynnar ut i havet.""",
    "tr": """Yağmur öğleden önce dindi ve güneş çıktı.
Sütün fiyatı bu yıl yüzde on arttı.
Mahkeme sözleşmenin geçersiz olduğuna karar verdi.
İlaç günde iki kez yemeklerden sonra alınmalıdır.
Soğanları doğrayın ve yağda altın rengi olana kadar kavurun.
Program dosyayı her beş dakikada bir otomatik olarak kaydeder.
Savaş yedi yıl sonra bir barış antlaşmasıyla sona erdi.
Takım maçı son dakikada kazandı.
Erkek kardeşim karısı ve iki çocuğuyla şehirde yaşıyor.
Nehir dağlardan doğar ve denize dökülür.""",
    "zh": """雨在中午前停了，太阳出来了。
今年牛奶的价格上涨了百分之十。
法院裁定合同无效。
这种药应每天饭后服用两次。
把洋葱切碎，用油炒至金黄色。
程序每五分钟自动保存一次文件。
战争在七年后以一项和平条约结束。
球队在最后一分钟赢得了比赛。
我哥哥和妻子以及两个孩子住在城里。
河流发源于山区，流入大海。""",
}


def directions():
    """(2 + languages - 1, 384): the mean of questions and of texts, and the basis, the strongest first."""
    encoder = e5.E5()
    questions, texts = (
        np.stack([encode(each.splitlines()) for each in SENTENCES.values()])
        for encode in (encoder.raw_questions, encoder.raw_texts)
    )
    mean = texts.mean(axis=(0, 1))
    apart = np.linalg.svd(texts.mean(axis=1) - mean, full_matrices=False)[2][: len(SENTENCES) - 1]
    return np.stack([questions.mean(axis=(0, 1)), mean, *apart]).astype(np.float32)


if __name__ == "__main__":
    np.save(PATH, directions())
