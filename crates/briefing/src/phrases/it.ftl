# What a card's outcome reads as: the words between the tag and the action. Short, no full stop.
waiting = in attesa
done = eseguito
cancelled = annullato
expired = scaduto
data-changed = i dati sono cambiati
failed = non riuscito
lost = interrotto, forse eseguito
