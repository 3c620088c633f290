# What a card's outcome reads as: the words between the tag and the action. Short, no full stop.
waiting = ожидает
done = выполнено
cancelled = отменено
expired = срок истёк
data-changed = данные изменились
failed = не удалось
lost = прервано, возможно, выполнено
