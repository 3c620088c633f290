# What a card's outcome reads as: the words between the tag and the action. Short, no full stop.
waiting = en attente
done = effectué
cancelled = annulé
expired = expiré
data-changed = les données ont changé
failed = échec
lost = interrompu, peut-être effectué
