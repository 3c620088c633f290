# What a card's outcome reads as: the words between the tag and the action. Short, no full stop.
waiting = oczekuje
done = wykonano
cancelled = anulowano
expired = wygasło
data-changed = dane się zmieniły
failed = nie powiodło się
lost = przerwano, być może wykonano
