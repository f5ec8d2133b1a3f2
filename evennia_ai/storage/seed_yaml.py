"""YAML of a seed as plain data: nothing but texts, numbers, lists and keys, each key once."""

from __future__ import annotations

from typing import Any


def load(data: bytes) -> Any:
    """Return what YAML says.

    Raises:
        ValueError: it is none; the text is the end of a sentence, and names the line.
    """
    try:
        import yaml
    except ImportError:
        raise ValueError("PyYAML is not installed: pip install PyYAML.") from None
    try:
        return yaml.load(data.decode("utf-8-sig"), Loader=_loader(yaml))
    except RecursionError:
        raise ValueError("it is nested too deeply.") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f"line {mark.line + 1}: " if mark else ""
        raise ValueError(f"{line}{error.problem or error.context}.") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(f"it is no YAML ({str(error).splitlines()[0]}).") from None


def _loader(yaml: Any) -> type:
    class Loader(yaml.SafeLoader):
        """`SafeLoader`, which would take the last of two equal keys, and expand aliases for ever."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                mark = self.peek_event().start_mark
                raise yaml.composer.ComposerError(
                    None, None, "aliases (*) have no place here", mark
                )
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            seen: set[str] = set()
            for key, _ in node.value:
                if key.id == "scalar" and key.value in seen:
                    problem = f"{key.value!r} stands here twice"
                    raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
                seen.add(str(key.value))
            return super().construct_mapping(node, deep=deep)

    return Loader
