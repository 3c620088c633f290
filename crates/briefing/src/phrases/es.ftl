# What a card's outcome reads as: the words between the tag and the action. Short, no full stop.
waiting = en espera
done = hecho
cancelled = cancelado
expired = caducado
data-changed = los datos han cambiado
failed = fallido
lost = interrumpido, quizá hecho
