# What a card's outcome reads as: the words between the tag and the action. Short, no full stop.
waiting = wartet
done = erledigt
cancelled = abgebrochen
expired = abgelaufen
data-changed = die Daten haben sich geändert
failed = fehlgeschlagen
lost = unterbrochen, vielleicht erledigt
