"""gensim.models.basemodel: the base class of topic models, for other people's."""

from typing import Any

__all__ = ["BaseTopicModel"]


class BaseTopicModel:
    """What topic models have in common; `show_topic` and `show_topics` are a subclass's own."""

    def print_topic(self, topicno: int, topn: int = 10) -> str:
        """Return a topic as text: its `topn` words, each with its weight."""
        topic: Any = self.show_topic(topicno, topn)  # type: ignore[attr-defined]  # a subclass's
        return " + ".join(f'{weight:.3f}*"{word}"' for word, weight in topic)

    def print_topics(self, num_topics: int = 20, num_words: int = 10) -> Any:
        """Return the most significant topics, all of them for -1, and log them."""
        return self.show_topics(  # type: ignore[attr-defined]  # a subclass's
            num_topics=num_topics, num_words=num_words, log=True
        )

    def get_topics(self) -> Any:
        """Return the matrix of topics and words; a subclass's own."""
        raise NotImplementedError(f"{type(self).__name__} does not implement get_topics()")
