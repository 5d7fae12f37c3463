"""Function words of the common European languages, which are not keywords; kept separate because they are a list."""

from typing import Final

_GERMAN = """
    aber alle allem allen aller alles als also andere anderen auch auf aus bei beim bin bis bist bitte danke dann das dass
    dein deine dem den denn der des deshalb die dies diese diesem diesen dieser dieses doch dort durch eine einem einen
    einer eines einmal er es etwas euch für gegen gibt habe haben hallo hat hatte hatten hier ich ihm ihn ihnen ihr ihre
    ihrem ihren immer im ist jede jeden jetzt kann kannst kein keine keinen können leider machen man mehr mein meine meinem
    meinen meiner mich mir mit muss müssen nach nicht nichts noch nun nur ob oder ohne schon sehr sei sein seine seit sich
    sie sind soll sollte sonst und uns unser unsere unter viel vom von vor wann warum weil wenn wer werde werden wie wieder
    will wir wird wo wurde würde zu zum zur zwischen über
"""
_FRENCH = """
    ai alors au aucun aussi autre aux avec avez avoir avons bonjour car ce cela ces cet cette ceux chez comme comment dans
    de depuis des donc du elle elles en encore entre est et eu fait faire il ils je jamais la le les leur leurs lui mais me
    mes merci moi mon même ne nos notre nous on ont ou où par parce pas pendant peu peut pour pourquoi pouvez qu quand que
    quel quelle qui quoi sa sans se ses si sont sous suis sur ta te tes toujours tous tout toute très tu un une vos votre
    vous y à été être
"""
_SPANISH = """
    al algo antes aquí así aunque cada como cómo con contra cual cuando cuándo del desde donde dónde dos el él ella ellos
    era eran es esa ese eso esta está están estas este esto estos estoy fue gracias ha hace hacer han hasta hay hola la las
    le les lo los mas más mi mis mucho muy nada ni nos nosotros nuestra nuestro otra otro para pero poco por porque puede
    puedo pues que qué quien se ser si sido siempre sin sobre solo sólo son soy su sus también tan tanto te tengo tiene todo
    todos tu un una unas uno unos usted ustedes ya yo
"""
_ITALIAN = """
    alla alle anche ancora avere aveva che chi ci ciao come con cosa così da dal dalla degli dei del della delle di dopo
    dove e è era essere fatto gli grazie ha hai hanno ho il in io la le lei lo loro lui ma mi mia mio molto nei nel nella
    nessuno niente noi non nostra nostro o ogni oppure per perché perchè però più poi può quale quando quella quello questa
    queste questi questo qui se sei sempre senza si sia solo sono sta su sua sul sulla suo tra tu tutti tutto un una uno voi
"""
_DUTCH = """
    aan al alle alles altijd als andere ben bij daar dan dat de der deze die dit doch doen door dus een eens en er ge geen
    geweest haar had heb hebben heeft hem het hier hij hoe hun iemand iets ik ja je jij kan kunnen maar me meer met mij mijn
    moet na naar niet niets nog nu of om omdat onder ons ook op over reeds te tegen toch toen tot u uit uw van veel voor
    waarom want waren was wat werd wezen wie wij wil worden wordt zal ze zelf zich zij zijn zo zonder zou
"""
_PORTUGUESE = """
    ao aos aquela aquele as até com como da das de dela dele depois do dos e ela ele eles em entre era essa esse esta está
    este eu foi fui já isso isto lhe mais mas me mesmo meu meus minha minhas muito na não nas nem no nos nós num numa o
    obrigada obrigado olá os ou para pela pelo por porque qual quando que quem se sem ser seu seus só sua suas também te tem
    tenho ter um uma você vocês
"""
FUNCTION_WORDS: Final = frozenset(
    word
    for language in (_GERMAN, _FRENCH, _SPANISH, _ITALIAN, _DUTCH, _PORTUGUESE)
    for word in language.split()
    if len(word) > 1
)
"""In lower case. Words of one letter are not included: the letter may be a drive, a key or a language."""
