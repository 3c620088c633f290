# What a card's outcome reads as: the words between the tag and the action. Short, no full stop.
waiting = ootel
done = tehtud
cancelled = tühistatud
expired = aegunud
data-changed = andmed on muutunud
failed = ebaõnnestus
lost = katkestatud, võib-olla tehtud
