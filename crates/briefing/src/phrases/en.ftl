# What a card's outcome reads as: the words between the tag and the action. Short, no full stop.
waiting = waiting
done = done
cancelled = cancelled
expired = expired
data-changed = the data changed
failed = failed
lost = interrupted, may have been done
